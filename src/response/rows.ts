/** Rows in the media type of the answer. */
import type { Row } from '../collection/value.ts';
import type { Media } from '../http/negotiate.ts';
import { notOne } from '../plan/terms.ts';
import type { OutputColumn } from '../plan/types.ts';

export function renderRows(rows: readonly Row[], columns: readonly OutputColumn[], media: Media): string {
  // Nothing selected is an empty object a row, as PostgreSQL's row of no columns.
  const shown = columns.length === 0 ? rows.map(() => ({})) : rows;
  switch (media.format) {
    case 'csv':
      return renderCsv(rows, columns);
    case 'ndjson':
      return shown.map((row) => `${JSON.stringify(row)}\n`).join('');
    case 'json': {
      const seen = media.stripNulls ? shown.map(withoutNulls) : shown;
      if (!media.singular) return JSON.stringify(seen);
      if (seen.length !== 1) throw notOne(seen.length);
      return JSON.stringify(seen[0]);
    }
  }
}

function withoutNulls(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** RFC 4180, but for line ends, which are PostgREST's; the header line is there even without rows. */
function renderCsv(rows: readonly Row[], columns: readonly OutputColumn[]): string {
  const names = columns.map(({ name }) => name);
  const lines = [names.map(csvCell).join(',')];
  for (const row of rows) lines.push(names.map((name) => csvCell(row[name] ?? null)).join(','));
  return `${lines.join('\n')}\n`;
}

function csvCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = String(value);
  // An empty text is quoted, so that it can be told from null.
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
