/** The pointer in a cell grid: a click selects, dragging and Shift extend the selection, a double click edits. */
import { type PointerEvent, useRef } from 'react';
import { type CellPlace, cellId, type Selection, single } from './selection.ts';

interface PointerOptions {
  readonly selection: Selection;
  readonly setChosen: (selection: Selection) => void;
  /** Saves the edited cell. Returns false if its text is invalid. */
  readonly commit: () => boolean;
  readonly focus: () => void;
  readonly edit: (place: CellPlace) => void;
}

/** The cell of an event; undefined within its links and inputs, which have effects of their own. */
function placeOf(target: EventTarget): CellPlace | undefined {
  const cell = (target as Element).closest('[role=gridcell][data-field]');
  const isOwn = (target as Element).closest('a, button, input, .cell-editor') !== null;
  if (cell === null || isOwn) return undefined;
  const row = cell.closest<HTMLElement>('[role=row]')!;
  // The first column has the checkboxes. ARIA counts from 1.
  return { row: Number(row.dataset.row), column: Number(cell.ariaColIndex) - 2 };
}

export function usePointer({ selection, setChosen, commit, focus, edit }: PointerOptions) {
  const isDragging = useRef(false);
  /** How often the pointer was pressed on a cell. A double click may begin on a dialog that is closed by then. */
  const presses = useRef({ cell: '', count: 0 });
  return {
    onPointerDown(event: PointerEvent) {
      const place = placeOf(event.target);
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
      const place = isDragging.current ? placeOf(event.target) : undefined;
      if (place !== undefined) setChosen({ anchor: selection.anchor, active: place });
    },
    onDoubleClick(event: { readonly target: EventTarget }) {
      const place = placeOf(event.target);
      if (place !== undefined && presses.current.count >= 2) edit(place);
    },
  };
}
