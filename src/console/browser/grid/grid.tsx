/** The cell grid of a list: virtual rows, a frozen title column, keys as in a spreadsheet, and a foot with sums. */

import { type CSSProperties, useMemo, useRef, useState } from 'react';
import { isStored, useAddedRows } from '../api/added-rows.ts';
import { may, type Row } from '../api/catalogue.ts';
import { useEditing, useEditors } from '../api/presence.ts';
import { loadedCount, useRows } from '../api/queries.ts';
import type { ListQuery } from '../api/query/list.ts';
import { keyText } from '../api/query/text.ts';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { useGroups, type ValueCount } from '../find/value-counts.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { columnsOf, ROW_HEIGHTS, useColumnSettings } from '../views/columns.ts';
import { NoRows } from '../views/no-rows.tsx';
import { blocksOf } from './clipboard/blocks.tsx';
import { GridHead } from './columns/head.tsx';
import { Figures } from './figures.tsx';
import { Foot } from './foot.tsx';
import { GridRow, type RowActions } from './grid-row.tsx';
import type { CheckedRows } from './many-rows/use-checked.ts';
import { rowMenu } from './row-menu.tsx';
import { lineOf, useRowWindow } from './row-window.ts';
import { type CellPlace, cellId, rangeOf } from './selection.ts';
import { useGrid } from './use-grid.ts';
import { useLiveRows } from './use-live-rows.ts';

const NO_VALUES: Row = {};
const HEAD_HEIGHT = 36;
const CHECK_WIDTH = 40;

interface GridProps {
  readonly query: ListQuery;
  readonly checked: CheckedRows;
  /** Opens the row at an index beside the list. */
  readonly open: (index: number) => void;
}

export function Grid({ query, checked, open }: GridProps) {
  const { collection } = query;
  const settings = useColumnSettings(query);
  const columns = useMemo(() => columnsOf(collection, settings), [collection, settings]);
  const rowHeight = ROW_HEIGHTS[settings.rowHeight ?? 'normal'];
  const scroller = useRef<HTMLDivElement>(null);
  const { total = 0, isLoading } = useRows(query, 0, 0);
  const added = useAddedRows(query);
  const count = total + added.length;
  const mayAdd = may('create', collection);
  const lines = mayAdd ? count + 1 : count;
  const groups = groupHeads(useGroups(query), total);
  const starts = groups.map(({ start }) => start);
  const rows = useRowWindow(scroller, { total: total === 0 ? 0 : lines, rowHeight, starts }, HEAD_HEIGHT);
  const { rowAt, error, refetch } = useRows(query, rows.first, Math.min(rows.last, total - 1));
  const blocks = blocksOf({ query, columns, total: count });
  const show = ({ row, column }: CellPlace) => {
    rows.scrollToRow(row);
    showColumn(scroller.current!, columns, column);
  };
  const grid = useGrid({
    query,
    columns,
    bounds: () => {
      const stored = loadedCount(query);
      return { rows: mayAdd ? stored + 1 : stored, stored, columns: columns.length, page: rows.page };
    },
    scroller,
    show,
    open,
    toggleRow: (index) => checked.check(index, false),
    blocks,
    showMenu: rowMenu(query, columns, checked, open, blocks),
  });
  useEditing(
    collection,
    grid.edit && isStored(collection, grid.edit.row) ? keyText(collection, grid.edit.row) : undefined,
  );
  const editors = useEditors(collection);
  const live = useLiveRows(query, grid.edit);
  // One object with the latest functions, so that rows do not render again.
  const [actions] = useState({} as RowActions);
  Object.assign(actions, { check: checked.check, open, setText: grid.setText, commit: () => void grid.commit() });
  if (error !== null && isLoading) return <ErrorMessage error={error} onRetry={refetch} />;
  if (isLoading) return <Skeleton lines={12} />;
  if (total === 0) return <NoRows query={query} />;
  const { selection, edit } = grid;
  const selected = rangeOf(selection);
  const filled = grid.filled ?? selected;
  const mayUpdate = may('update', collection);
  const template = `${CHECK_WIDTH}px ${columns.map(({ width }) => `${width}px`).join(' ')}`;
  const indexes = Array.from({ length: rows.last - rows.first + 1 }, (_, at) => rows.first + at);
  const isInput = (target: EventTarget) => target !== scroller.current;
  return (
    <>
      {error !== null && <ErrorMessage error={error} onRetry={refetch} />}
      <div
        ref={scroller}
        className={`grid ${settings.rowHeight ?? 'normal'}`}
        role="grid"
        tabIndex={0}
        aria-label={t.grid.label}
        aria-multiselectable
        aria-rowcount={lines + groups.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={
          edit === undefined && selection.active.row >= rows.first && selection.active.row <= rows.last
            ? cellId(selection.active.row, selection.active.column)
            : undefined
        }
        style={{ '--columns': template, '--row-height': `${rowHeight}px` } as CSSProperties}
        {...grid.handlers}
        onCopy={(event) => !isInput(event.target) && blocks.copy(event, selection)}
        onCut={(event) => {
          if (isInput(event.target)) return;
          blocks.copy(event, selection);
          blocks.clear(selection);
        }}
        onPaste={(event) => !isInput(event.target) && blocks.paste(event, selection, grid.choose)}
      >
        <GridHead
          query={query}
          columns={columns}
          settings={settings}
          isAllChecked={checked.isAll}
          checkAll={checked.checkAll}
        />
        <div className="grid-rows" role="rowgroup" style={{ height: rows.height }}>
          <div role="presentation" style={{ transform: `translateY(${rows.offset}px)` }}>
            {groups
              .filter(({ start }) => start >= rows.first && start <= rows.last)
              .map(({ start, label, count }) => (
                <div
                  key={`group ${start}`}
                  role="row"
                  className="grid-row group-head"
                  aria-rowindex={lineOf(start, starts) + 1}
                  style={{ transform: `translateY(${rows.topOf(start) - rowHeight}px)` }}
                >
                  <div role="gridcell" aria-colindex={1} aria-colspan={columns.length + 1}>
                    {label} <span className="count">{formatNumber(count)}</span>
                  </div>
                </div>
              ))}
            {indexes.map((index) => {
              const row = index < total ? rowAt(index) : (added[index - total] ?? NO_VALUES);
              const isLine = row !== undefined && !isStored(collection, row);
              const isInRange = index >= filled.top && index <= filled.bottom;
              return (
                <GridRow
                  key={index}
                  collection={collection}
                  columns={columns}
                  row={row}
                  isLine={isLine}
                  index={index}
                  line={lineOf(index, starts)}
                  top={rows.topOf(index)}
                  isChecked={!isLine && checked.has(row)}
                  left={isInRange ? selected.left : 0}
                  right={isInRange ? selected.right : -1}
                  hasHandle={index === selected.bottom && edit === undefined && mayUpdate}
                  active={index === selection.active.row ? selection.active.column : -1}
                  editors={row === undefined || isLine ? '' : (editors.get(keyText(collection, row)) ?? '')}
                  edit={edit?.place.row === index ? edit : undefined}
                  actions={actions}
                />
              );
            })}
          </div>
        </div>
        <Figures query={query} columns={columns} settings={settings} total={total} />
      </div>
      {live.isOutdated && (
        <button type="button" className="live-notice" onClick={live.reload}>
          {t.grid.listChanged}
        </button>
      )}
      <Foot query={query} columns={columns} range={selected} />
    </>
  );
}

/** The first row of each group. Rows beyond the counted groups have a head of their own. */
export function groupHeads(groups: readonly Omit<ValueCount, 'value'>[], total: number) {
  let start = 0;
  const heads = groups.map(({ label, count }) => {
    const head = { label, count, start };
    start += count;
    return head;
  });
  if (heads.length > 0 && start < total) heads.push({ label: t.views.otherRows, count: total - start, start });
  return heads.filter((head) => head.start < total);
}

/** Scrolls horizontally until a column is visible beside the frozen one. */
function showColumn(
  element: HTMLElement,
  columns: readonly { readonly width: number; readonly isFrozen: boolean }[],
  column: number,
): void {
  if (columns[column]!.isFrozen) return;
  const left = CHECK_WIDTH + columns.slice(0, column).reduce((sum, { width }) => sum + width, 0);
  const frozen = CHECK_WIDTH + columns.filter(({ isFrozen }) => isFrozen).reduce((sum, { width }) => sum + width, 0);
  const right = left + columns[column]!.width;
  if (left < element.scrollLeft + frozen) element.scrollLeft = left - frozen;
  else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
}
