/** The selected cells of a grid: an anchor, where the selection began, and the active cell, which the keys move. */

export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

export const cellId = (row: number, column: number): string => `cell-${row}-${column}`;

export interface Selection {
  readonly anchor: CellPlace;
  readonly active: CellPlace;
}

export interface Bounds {
  /** With the line of a new row. */
  readonly rows: number;
  /** Rows that a selection of several cells may contain. */
  readonly stored: number;
  readonly columns: number;
  /** Rows that Page Up and Page Down move by. */
  readonly page: number;
}

/** Both ends are part of the range. */
export interface Range {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export const START: Selection = { anchor: { row: 0, column: 0 }, active: { row: 0, column: 0 } };

export const single = (place: CellPlace): Selection => ({ anchor: place, active: place });

export function rangeOf({ anchor, active }: Selection): Range {
  return {
    top: Math.min(anchor.row, active.row),
    bottom: Math.max(anchor.row, active.row),
    left: Math.min(anchor.column, active.column),
    right: Math.max(anchor.column, active.column),
  };
}

export const cellCount = ({ top, bottom, left, right }: Range): number => (bottom - top + 1) * (right - left + 1);

/** Keeps a selection within a list that became shorter. */
export function clampSelection({ anchor, active }: Selection, bounds: Bounds): Selection {
  return { anchor: clamp(anchor, bounds), active: clamp(active, bounds) };
}

function clamp({ row, column }: CellPlace, { rows, columns }: Pick<Bounds, 'rows' | 'columns'>): CellPlace {
  return {
    row: Math.max(0, Math.min(row, rows - 1)),
    column: Math.max(0, Math.min(column, columns - 1)),
  };
}

interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/**
 * The selection after a key; undefined if the key does not move it. Tab leaves the grid at the end of a row, so that
 * the keyboard reaches the rest of the page.
 */
export function moveByKey(selection: Selection, event: Key, bounds: Bounds): Selection | undefined {
  const { key, shiftKey } = event;
  const isFar = event.ctrlKey || event.metaKey;
  if (key === 'a' && isFar)
    return { anchor: { row: 0, column: 0 }, active: { row: bounds.stored - 1, column: bounds.columns - 1 } };
  if (key === 'Enter') {
    // Only the line of a new row leads to the next one: who types down a column stops at its end.
    const rows = selection.active.row < bounds.stored ? bounds.stored : bounds.rows;
    return isFar ? undefined : single(clamp(step(selection.active, shiftKey ? -1 : 1, 0), { ...bounds, rows }));
  }
  if (key === 'Tab') {
    const next = step(selection.active, 0, shiftKey ? -1 : 1);
    return next.column < 0 || next.column >= bounds.columns ? undefined : single(next);
  }
  const next = target(selection.active, key, isFar, bounds);
  if (next === undefined) return undefined;
  const active = clamp(next, shiftKey || isFar ? { ...bounds, rows: bounds.stored } : bounds);
  return shiftKey ? { anchor: selection.anchor, active } : single(active);
}

const step = ({ row, column }: CellPlace, rows: number, columns: number): CellPlace => ({
  row: row + rows,
  column: column + columns,
});

/** The place that a key leads to, possibly beyond the bounds. */
function target(from: CellPlace, key: string, isFar: boolean, { rows, columns, page }: Bounds): CellPlace | undefined {
  const far = isFar ? Math.max(rows, columns) : 1;
  const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
    ArrowUp: [-far, 0],
    ArrowDown: [far, 0],
    ArrowLeft: [0, -far],
    ArrowRight: [0, far],
    PageUp: [-page, 0],
    PageDown: [page, 0],
    Home: [isFar ? -rows : 0, -columns],
    End: [isFar ? rows : 0, columns],
  };
  const by = steps[key];
  return by && step(from, ...by);
}
