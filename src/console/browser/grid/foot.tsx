/** The foot of the grid: count, sum and average of the selected cells. */
import { useQuery } from '@tanstack/react-query';
import { exactDecimal, exactUnits, printDecimal, rounded } from '../../../collection/types/number/decimal-text.ts';
import { isNumeric, type Value } from '../api/catalogue.ts';
import { loadedRow, loadRows } from '../api/queries.ts';
import { type ListQuery, listUrl } from '../api/query/list.ts';
import { kindOf } from '../fields/registry.ts';
import { formatDecimal, formatDigits } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import type { Column } from '../views/columns.ts';
import { cellCount, type Range } from './selection.ts';

/** Larger selections have a count, but no sum. */
const MAX_ROWS = 10_000;

/** The sum of decimal numbers, without rounding; undefined if a text is not a decimal number. */
export function addExactly(texts: readonly string[]): string | undefined {
  const numbers = texts.map(exactDecimal);
  if (!numbers.every((each) => each !== undefined)) return undefined;
  const scale = Math.max(0, ...numbers.map((each) => each.scale));
  return printDecimal(
    exactUnits(
      numbers.reduce((sum, each) => sum + rounded(each, scale), 0n),
      scale,
    ),
  );
}

interface FootProps {
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  readonly range: Range;
}

export function Foot({ query, columns, range }: FootProps) {
  const { collection } = query;
  const count = cellCount(range);
  const height = range.bottom - range.top + 1;
  const chosen = columns.slice(range.left, range.right + 1);
  const loaded = Array.from({ length: Math.min(height, MAX_ROWS) }, (_, at) => loadedRow(query, range.top + at));
  const isWhole = height <= MAX_ROWS && loaded.every((row) => row !== undefined);
  const { data } = useQuery({
    queryKey: ['list', collection.name, listUrl(query), 'rows', range.top, range.bottom],
    queryFn: () => loadRows(query, range.top, range.bottom),
    enabled: !isWhole && height <= MAX_ROWS,
  });
  if (count < 2) return <div className="grid-foot line help">{t.grid.keysHint}</div>;
  const rows = isWhole ? loaded : data;
  const values = (rows ?? []).flatMap((row) => chosen.map(({ field }): Value => row?.[field.name] ?? null));
  const filled = values.filter((value) => value !== null);
  const isSummed = chosen.every(({ field }) => isNumeric(field) && kindOf({ collection, field }).name === 'number');
  const total = isSummed && filled.length > 0 ? addExactly(filled.map(String)) : undefined;
  return (
    <div className="grid-foot line help" role="status">
      <span>{t.grid.cells(count)}</span>
      {rows !== undefined && <span>{t.grid.filled(filled.length)}</span>}
      {total !== undefined && (
        <>
          <span>{t.grid.sum(formatDigits(total, 0))}</span>
          <span>{t.grid.average(formatDecimal(Number(total) / filled.length, 0, 4))}</span>
        </>
      )}
    </div>
  );
}
