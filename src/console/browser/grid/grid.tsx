/** The grid of a list: virtual rows, a frozen title column, and heads that sort. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type CSSProperties, type KeyboardEvent, useMemo, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { labelOf, type Row } from '../api/catalogue.ts';
import { rowAddress } from '../api/keys.ts';
import { type ListQuery, listAddress, type SortKey } from '../api/list.ts';
import { useRows } from '../api/queries.ts';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { type Column, defaultColumns } from './columns.ts';
import { NoRows } from './no-rows.tsx';

const ROW_HEIGHT = 36;
const OVERSCAN = 10;

export function Grid({ query }: { readonly query: ListQuery }) {
  const { collection } = query;
  const columns = useMemo(() => defaultColumns(collection), [collection]);
  const scroller = useRef<HTMLDivElement>(null);
  const range = useRef<[number, number]>([0, 50]);
  const { rowAt, total, error, refetch } = useRows(query, ...range.current);
  const virtual = useVirtualizer({
    count: total ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  range.current = [items[0]?.index ?? 0, items.at(-1)?.index ?? 50];
  if (error !== null) return <ErrorMessage error={error} onRetry={refetch} />;
  if (total === undefined) return <Skeleton lines={12} />;
  if (total === 0) return <NoRows query={query} />;
  const template = columns.map(({ width }) => `${width}px`).join(' ');
  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      aria-rowcount={total + 1}
      aria-colcount={columns.length}
      style={{ '--columns': template } as CSSProperties}
    >
      <div className="grid-row grid-head" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <HeadCell key={column.field.name} column={column} query={query} />
        ))}
      </div>
      <div className="grid-rows" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => (
          <GridRow key={index} index={index} start={start} row={rowAt(index)} columns={columns} query={query} />
        ))}
      </div>
    </div>
  );
}

function HeadCell({ column: { field, isFrozen }, query }: { readonly column: Column; readonly query: ListQuery }) {
  const [, navigate] = useLocation();
  const { collection, order } = query;
  const key = order.find(({ name }) => name === field.name);
  const isNumber = kindOf({ collection, field }).isRightAligned === true;
  return (
    <div
      role="columnheader"
      className={cellClass(isFrozen, isNumber)}
      aria-sort={key === undefined ? 'none' : key.isDescending ? 'descending' : 'ascending'}
    >
      <button
        type="button"
        onClick={(event) => navigate(listAddress({ ...query, order: nextOrder(order, field.name, event.shiftKey) }))}
      >
        {labelOf(field)}
        {key !== undefined && (key.isDescending ? <ArrowDown size={14} /> : <ArrowUp size={14} />)}
      </button>
    </div>
  );
}

/** Ascending, then descending, then not at all. Shift adds a further sort key. */
export function nextOrder(order: readonly SortKey[], name: string, isAdded: boolean): readonly SortKey[] {
  const current = order.find((each) => each.name === name);
  const next = current?.isDescending === true ? [] : [{ name, isDescending: current !== undefined }];
  if (!isAdded) return next;
  return current === undefined ? [...order, ...next] : order.flatMap((each) => (each.name === name ? next : [each]));
}

interface GridRowProps {
  readonly index: number;
  readonly start: number;
  readonly row: Row | undefined;
  readonly columns: readonly Column[];
  readonly query: ListQuery;
}

function GridRow({ index, start, row, columns, query: { collection } }: GridRowProps) {
  const [, navigate] = useLocation();
  const address = row && rowAddress(collection, row);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && address !== undefined) navigate(address);
  };
  return (
    <div
      role="row"
      tabIndex={-1}
      className="grid-row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${start}px)` }}
      onDoubleClick={() => address !== undefined && navigate(address)}
      onKeyDown={onKeyDown}
    >
      {columns.map(({ field, isFrozen }) => {
        const { Cell, isRightAligned = false } = kindOf({ collection, field });
        return (
          <div key={field.name} role="gridcell" data-field={field.name} className={cellClass(isFrozen, isRightAligned)}>
            {row === undefined ? (
              <span className="bar" />
            ) : isFrozen ? (
              <Link href={address!} aria-label={t.grid.openRow(String(row[field.name]))}>
                <Cell collection={collection} field={field} row={row} />
              </Link>
            ) : (
              <Cell collection={collection} field={field} row={row} />
            )}
          </div>
        );
      })}
    </div>
  );
}

const cellClass = (isFrozen: boolean, isNumber: boolean): string =>
  `grid-cell${isFrozen ? ' frozen' : ''}${isNumber ? ' number' : ''}`;
