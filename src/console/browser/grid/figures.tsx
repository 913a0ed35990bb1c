/** The figures of all rows of a list, at the foot of their columns. */
import { useQuery } from '@tanstack/react-query';
import type { Field, Value } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { type ListQuery, selectUrl } from '../api/query/list.ts';
import { printName } from '../api/query/text.ts';
import { formatValue } from '../fields/registry.ts';
import { formatDecimal, formatDigits, formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import type { Column, ColumnFigure, ColumnSettings } from '../views/columns.ts';

const FUNCTIONS = { sum: 'sum', avg: 'avg', min: 'min', max: 'max', filled: 'count', empty: 'count' } as const;

interface FiguresProps {
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  readonly settings: ColumnSettings;
  readonly total: number;
}

export function Figures({ query, columns, settings: { figures = {} }, total }: FiguresProps) {
  const { collection } = query;
  const shown = columns.map(({ field }) => field).filter(({ name }) => figures[name] !== undefined);
  const select = shown.map(({ name }, at) => `f${at}:${printName(name)}.${FUNCTIONS[figures[name]!]}()`);
  const url = selectUrl(query, select);
  const { data } = useQuery({
    queryKey: ['figures', collection.name, url],
    queryFn: async ({ signal }) => ((await ask(url, { signal })).json as readonly Readonly<Record<string, Value>>[])[0],
    enabled: shown.length > 0,
  });
  if (shown.length === 0) return null;
  const print = (field: Field, figure: ColumnFigure, value: Value): string => {
    if (figure === 'empty') return formatNumber(total - Number(value));
    if (figure === 'min' || figure === 'max') return formatValue({ collection, field }, value);
    return figure === 'avg' ? formatDecimal(Number(value), 0, 4) : formatDigits(String(value ?? 0), 0);
  };
  return (
    <div className="grid-row grid-figures" role="row">
      <div role="gridcell" aria-colindex={1} className="grid-cell check" />
      {columns.map(({ field, isFrozen }, at) => {
        const figure = figures[field.name];
        const value = data?.[`f${shown.indexOf(field)}`];
        return (
          <div
            key={field.name}
            role="gridcell"
            aria-colindex={at + 2}
            className={`grid-cell number${isFrozen ? ' frozen' : ''}`}
          >
            {figure !== undefined && value !== undefined && (
              <span className="one-line">
                <span className="help">{t.grid.figures[figure]}</span> {print(field, figure, value)}
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}
