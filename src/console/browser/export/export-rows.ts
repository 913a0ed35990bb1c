/** Exports all rows of a list, or the given ones. The rows arrive as a stream, one JSON object per line. */
import { MAX_SHEET_ROWS } from '../../../base/limits/http.ts';
import type { Row } from '../api/catalogue.ts';
import { askLines, parseExactly } from '../api/client.ts';
import { type ListQuery, listUrl } from '../api/query/list.ts';
import { cacheTitles } from '../api/query/titles.ts';
import { t } from '../i18n/text.ts';
import { columnSettings, columnsOf } from '../views/columns.ts';
import { type Format, writerFor } from './formats.ts';
import { datedName, downloadBlob } from './save-file.ts';

/** Rows between two reports of progress. */
const STEP = 1_000;

interface ExportOptions {
  readonly query: ListQuery;
  readonly format: Format;
  /** The rows to export; undefined for all rows of the query. */
  readonly rows: readonly Row[] | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (count: number) => void;
}

/** Saves the file. Returns the number of rows. */
export async function exportRows({ query, format, rows, signal, onProgress }: ExportOptions): Promise<number> {
  const { collection } = query;
  const fields = columnsOf(collection, columnSettings(query)).map(({ field }) => field);
  const writer = writerFor(format, { collection, fields });
  let count = 0;
  for await (const row of rows ?? streamRows(query, signal)) {
    cacheTitles(collection, [row]);
    writer.add(row);
    count += 1;
    if (format === 'xlsx' && count > MAX_SHEET_ROWS) throw new Error(t.exporting.tooManyRows);
    if (count % STEP === 0) onProgress(count);
  }
  const content = await writer.end();
  signal.throwIfAborted();
  downloadBlob(content, datedName(collection.name, format));
  return count;
}

async function* streamRows(query: ListQuery, signal: AbortSignal): AsyncGenerator<Row> {
  for await (const line of askLines(listUrl(query), { signal })) yield parseExactly(line) as Row;
}
