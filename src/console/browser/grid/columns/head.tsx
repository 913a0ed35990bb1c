/** The head of the grid: sort by a click, resize at the edge, move by dragging. */
import type { PointerEvent } from 'react';
import { changeList } from '../../api/address.ts';
import { labelOf } from '../../api/catalogue.ts';
import type { ListQuery, SortKey } from '../../api/query/list.ts';
import { type Dragged, useDragged } from '../../components/drag.ts';
import { Icon } from '../../components/icon.tsx';
import { isMenuKey } from '../../components/menu.tsx';
import { Toolbar } from '../../components/toolbar.tsx';
import { kindOf } from '../../fields/registry.ts';
import { t } from '../../i18n/text.ts';
import { type Column, type ColumnSettings, moveColumn, setColumnSettings, withWidth } from '../../views/columns.ts';
import { showHeadMenu } from './head-menu.ts';

interface GridHeadProps {
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  readonly settings: ColumnSettings;
  readonly isAllChecked: boolean;
  readonly checkAll: () => void;
}

export function GridHead({ query, columns, settings, isAllChecked, checkAll }: GridHeadProps) {
  const dragged = useDragged<string>();
  return (
    <Toolbar className="grid-row grid-head" role="row" aria-rowindex={1}>
      <div role="columnheader" aria-colindex={1} className="grid-cell check">
        <input type="checkbox" aria-label={t.grid.selectAll} checked={isAllChecked} onChange={checkAll} />
      </div>
      {columns.map((column, at) => (
        <HeadCell key={column.field.name} {...{ query, column, at, settings, dragged }} />
      ))}
    </Toolbar>
  );
}

interface HeadCellProps {
  readonly query: ListQuery;
  readonly column: Column;
  readonly at: number;
  readonly settings: ColumnSettings;
  readonly dragged: Dragged<string>;
}

function HeadCell({ query, column: { field, width, isFrozen }, at, settings, dragged }: HeadCellProps) {
  const { collection, order } = query;
  const place = order.findIndex(({ name }) => name === field.name);
  const key = order[place];
  const isNumber = kindOf({ collection, field }).isRightAligned === true;
  const setWidth = (next: number) => setColumnSettings(query, withWidth(settings, field.name, next));
  const fit = () => setWidth(fittingWidth(field.name));
  const showMenu = (at: MouseEvent | Element) => showHeadMenu(at, { query, field, settings, fit });
  const resize = (event: PointerEvent<HTMLElement>) => {
    event.preventDefault();
    const { currentTarget: handle, clientX: start, pointerId } = event;
    handle.setPointerCapture(pointerId);
    handle.onpointermove = ({ clientX }) => setWidth(width + clientX - start);
    handle.onpointerup = () => {
      handle.onpointermove = null;
    };
  };
  return (
    <div
      role="columnheader"
      aria-colindex={at + 2}
      data-field={field.name}
      className={`grid-cell${isFrozen ? ' frozen' : ''}${isNumber ? ' number' : ''}`}
      aria-sort={key === undefined ? 'none' : key.isDescending ? 'descending' : 'ascending'}
      {...dragged.source(field.name, !isFrozen)}
      {...dragged.target(
        (name) => name !== field.name && setColumnSettings(query, moveColumn(collection, settings, name, field.name)),
      )}
      onContextMenu={(event) => {
        event.preventDefault();
        showMenu(event.nativeEvent);
      }}
    >
      <button
        type="button"
        className="item"
        title={t.grid.sortHint}
        aria-haspopup="menu"
        onKeyDown={(event) => {
          if (!isMenuKey(event)) return;
          event.preventDefault();
          showMenu(event.currentTarget);
        }}
        onClick={({ shiftKey }) => changeList(collection, { order: nextOrder(order, field.name, shiftKey) })}
      >
        <span className="one-line">{labelOf(field)}</span>
        {key !== undefined && (key.isDescending ? <Icon name="arrow-down" /> : <Icon name="arrow-up" />)}
        {order.length > 1 && key !== undefined && <sub>{place + 1}</sub>}
      </button>
      <span className="resizer" aria-hidden onPointerDown={resize} onDoubleClick={fit} />
    </div>
  );
}

/** The width of the longest visible content of a column. */
function fittingWidth(name: string): number {
  const texts = document.querySelectorAll<HTMLElement>(`[role=grid] [data-field="${CSS.escape(name)}"] .one-line`);
  const measure = document.createRange();
  const widths = [...texts].map((text) => {
    measure.selectNodeContents(text);
    return measure.getBoundingClientRect().width;
  });
  return Math.max(...widths) + 48;
}

/** Ascending, then descending, then not at all. Shift adds a further sort key. */
export function nextOrder(order: readonly SortKey[], name: string, isAdded: boolean): readonly SortKey[] {
  const current = order.find((each) => each.name === name);
  const next = current?.isDescending === true ? [] : [{ name, isDescending: current !== undefined }];
  if (!isAdded) return next;
  return current === undefined ? [...order, ...next] : order.flatMap((each) => (each.name === name ? next : [each]));
}
