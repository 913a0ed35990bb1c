/**
 * The pointer in a cell grid: a click selects, dragging and Shift extend the selection, a double click edits. The
 * handle at the end of a selection repeats its rows.
 */
import { type MouseEvent, type PointerEvent, useRef, useState } from 'react';
import { type CellPlace, cellId, type Range, rangeOf, type Selection, single } from './selection.ts';

interface PointerOptions {
  readonly selection: Selection;
  readonly setChosen: (selection: Selection) => void;
  /** Saves the edited cell. Returns false if its text is invalid. */
  readonly commit: () => boolean;
  readonly focus: () => void;
  readonly edit: (place: CellPlace) => void;
  readonly fill: (source: Range, range: Range) => void;
  readonly showMenu: (at: globalThis.MouseEvent, place: CellPlace, selection: Selection) => void;
}

const INPUTS = 'button, input, .cell-editor';

/** The cell of an event; undefined within its links and inputs, which have effects of their own. */
function placeOf(target: EventTarget, own = `a, ${INPUTS}`): CellPlace | undefined {
  const cell = (target as Element).closest('[role=gridcell][data-field]');
  const isOwn = (target as Element).closest(own) !== null;
  if (cell === null || isOwn) return undefined;
  const row = cell.closest<HTMLElement>('[role=row]')!;
  // The first column has the checkboxes. ARIA counts from 1.
  return { row: Number(row.dataset.row), column: Number(cell.ariaColIndex) - 2 };
}

/** Whether a cell belongs to a range. */
const isWithin = ({ row, column }: CellPlace, { top, bottom, left, right }: Range): boolean =>
  row >= top && row <= bottom && column >= left && column <= right;

export function usePointer({ selection, setChosen, commit, focus, edit, fill, showMenu }: PointerOptions) {
  /** The range that a drag of the handle fills. */
  const [filled, setFilled] = useState<Range>();
  const latest = useRef(filled);
  latest.current = filled;
  const startFill = () => {
    const source = rangeOf(selection);
    setFilled(source);
    const end = () => {
      const range = latest.current;
      setFilled(undefined);
      if (range === undefined || (range.top === source.top && range.bottom === source.bottom)) return;
      setChosen({ anchor: { row: range.top, column: range.left }, active: { row: range.bottom, column: range.right } });
      fill(source, range);
    };
    addEventListener('pointerup', end, { once: true });
  };
  const isDragging = useRef(false);
  /** How often the pointer was pressed on a cell. A double click may begin on a dialog that is closed by then. */
  const presses = useRef({ cell: '', count: 0 });
  const handlers = {
    onContextMenu(event: MouseEvent) {
      const place = placeOf(event.target);
      if (place === undefined || !commit()) return;
      event.preventDefault();
      focus();
      const next = isWithin(place, rangeOf(selection)) ? selection : single(place);
      setChosen(next);
      showMenu(event.nativeEvent, place, next);
    },
    onPointerDown(event: PointerEvent) {
      if ((event.target as Element).classList.contains('fill-handle')) {
        event.preventDefault();
        return startFill();
      }
      // A press on a link also selects its cell, so that the row that opens is the active one.
      const place = placeOf(event.target, INPUTS);
      if (place === undefined || event.button !== 0) return;
      event.preventDefault();
      if (!commit()) return;
      focus();
      const pressed = cellId(place.row, place.column);
      presses.current = { cell: pressed, count: presses.current.cell === pressed ? presses.current.count + 1 : 1 };
      isDragging.current = event.pointerType === 'mouse';
      setChosen(event.shiftKey ? { anchor: selection.anchor, active: place } : single(place));
    },
    onPointerOver(event: PointerEvent) {
      if (event.buttons !== 1) isDragging.current = false;
      const over = filled && placeOf(event.target);
      if (over !== undefined) {
        const { top, bottom, ...columns } = rangeOf(selection);
        setFilled({ top: Math.min(top, over.row), bottom: Math.max(bottom, over.row), ...columns });
      }
      const place = isDragging.current ? placeOf(event.target) : undefined;
      if (place !== undefined) setChosen({ anchor: selection.anchor, active: place });
    },
    onDoubleClick(event: { readonly target: EventTarget }) {
      const place = placeOf(event.target);
      if (place !== undefined && presses.current.count >= 2) edit(place);
    },
  };
  return { filled, handlers };
}
