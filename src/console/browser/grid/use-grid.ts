/** The state of a cell grid: the selection, the cell that is edited, and what keys and the pointer do. */
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isStored } from '../api/added-rows.ts';
import { type Field, mayWrite, type Row, type Value } from '../api/catalogue.ts';
import { loadedRow } from '../api/queries.ts';
import { type ListQuery, listUrl } from '../api/query/list.ts';
import { isSame } from '../base/same.ts';
import { isMenuKey } from '../components/menu.tsx';
import { notify } from '../components/toasts.tsx';
import type { FieldPlace } from '../fields/kind.ts';
import { kindOf, parseText, printValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import type { Column } from '../views/columns.ts';
import type { Editing } from './cell-editor.tsx';
import type { Blocks } from './clipboard/blocks.tsx';
import { cellName, discardEdit, keepText, saveCell, saveLine, unsavedCells } from './edits.ts';
import {
  type Bounds,
  type CellPlace,
  cellId,
  clampSelection,
  moveByKey,
  type Selection,
  START,
  single,
} from './selection.ts';
import { usePointer } from './use-pointer.ts';

export interface ActiveEdit extends Editing {
  readonly place: CellPlace;
  /** The row as the person saw it when the edit began. */
  readonly row: Row;
  readonly field: Field;
  /** The number of rows then. */
  readonly stored: number;
  /** Whether the input has taken a text. That of a date takes no letters. */
  readonly hasText?: boolean;
}

interface GridOptions {
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  /** The bounds now, also within an event that adds a row. */
  readonly bounds: () => Bounds;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly show: (place: CellPlace) => void;
  /** Opens a row beside the list. */
  readonly open: (index: number) => void;
  readonly toggleRow: (index: number) => void;
  readonly blocks: Blocks;
  /** Shows the menu of a cell at the pointer, or below the cell. */
  readonly showMenu: (at: MouseEvent | Element, place: CellPlace, selection: Selection) => void;
}

export function useGrid(options: GridOptions) {
  const { query, columns, bounds, scroller, show, showMenu } = options;
  const { collection } = query;
  const [chosen, setChosen] = useState<Selection>(() => lastSelection(listUrl(query)));
  const selection = clampSelection(chosen, bounds());
  usePlace(query, scroller, selection, bounds().stored > 0);
  const [edit, setEditState] = useState<ActiveEdit>();
  /** The current edit also within an event, before the next rendering. */
  const current = useRef<ActiveEdit>(undefined);

  const setEdit = (next: ActiveEdit | undefined) => {
    current.current = next;
    setEditState(next);
  };
  const focus = () => scroller.current?.focus({ preventScroll: true });
  const select = (next: Selection) => {
    setChosen(next);
    show(next.active);
  };

  /** The row at an index. The last line is a new one without values. */
  const rowOrLine = (index: number): Row | undefined =>
    loadedRow(query, index) ?? (index === bounds().stored && index < bounds().rows ? {} : undefined);

  const save = (place: FieldPlace, row: Row, value: Value, text: string) =>
    isStored(collection, row) ? saveCell(place, row, value, text) : saveLine(query, place, row, value, text);

  const startEdit = (place: CellPlace, isTyped = false): boolean => {
    const row = rowOrLine(place.row);
    const field = columns[place.column]?.field;
    if (row === undefined || field === undefined) return false;
    if (!mayWrite(collection, field, !isStored(collection, row))) {
      notify(t.grid.readOnly, { topic: 'read-only' });
      return false;
    }
    const unsaved = unsavedCells.get().get(cellName(collection, row, field));
    const text = isTyped ? '' : (unsaved?.text ?? printValue({ collection, field }, row[field.name]));
    select(single(place));
    setEdit({ place, row, field, stored: bounds().stored, text, problem: unsaved?.problem, isTyped });
    return true;
  };

  /** Saves the edited cell, or lists its text if that is invalid. Returns false if the editor stays open. */
  const commit = (): boolean => {
    const editing = current.current;
    if (editing === undefined) return true;
    if (editing.isTyped && !editing.hasText) {
      setEdit(undefined);
      return true;
    }
    const { row, field, text } = editing;
    const place = { collection, field };
    const stored = row[field.name] ?? null;
    const parsed = text === printValue(place, stored) ? { value: stored } : parseText(place, text);
    // A new row is not in the list of unsaved cells.
    if ('problem' in parsed && !isStored(collection, row)) {
      setEdit({ ...editing, problem: parsed.problem });
      return false;
    }
    setEdit(undefined);
    if ('problem' in parsed && kindOf(place).name === 'reference') void saveCell(place, row, undefined, text);
    else if ('problem' in parsed) keepText(place, row, text, parsed.problem);
    else if (isSame(parsed.value, stored)) discardEdit(place, row);
    else void save(place, row, parsed.value, text);
    return true;
  };

  const setText = (text: string) => {
    const editing = current.current;
    if (editing === undefined) return;
    setEdit({ ...editing, text, problem: undefined, hasText: true });
    if (text === '' || kindOf({ collection, field: editing.field }).name !== 'reference') return;
    // A press elsewhere has moved the focus.
    if (commit() && scroller.current!.contains(document.activeElement)) focus();
  };

  const moveOn = ({ place, stored }: ActiveEdit, event: KeyboardEvent) => {
    const next = moveByKey(single(place), event, { ...bounds(), stored });
    if (next !== undefined) select(next);
  };

  const onEditKey = (event: KeyboardEvent) => {
    const editing = current.current!;
    const { name } = kindOf({ collection, field: editing.field });
    const isArrow = event.key === 'ArrowUp' || event.key === 'ArrowDown';
    const movesOn = isArrow && editing.isTyped && (name === 'number' || name === 'text');
    const isLineBreak = event.key === 'Enter' && event.shiftKey && event.target instanceof HTMLTextAreaElement;
    if (event.key === 'Escape') {
      event.preventDefault();
      setEdit(undefined);
      focus();
    } else if (!isLineBreak && (event.key === 'Enter' || event.key === 'Tab' || movesOn)) {
      event.preventDefault();
      const input = event.target as HTMLElement;
      // An input may add its last text when it loses the focus.
      input.blur();
      if (!commit()) return input.focus();
      focus();
      moveOn(editing, event);
    }
  };

  const toggle = ({ row: index, column }: CellPlace): boolean => {
    const row = rowOrLine(index);
    const place = { collection, field: columns[column]!.field };
    if (row === undefined || kindOf(place).name !== 'boolean') return false;
    const text = printValue(place, row[place.field.name]) === t.app.yes ? t.app.no : t.app.yes;
    if (!mayWrite(collection, place.field, !isStored(collection, row))) notify(t.grid.readOnly, { topic: 'read-only' });
    else void save(place, row, (parseText(place, text) as { value: Value }).value, text);
    return true;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter or Tab on an option has saved the cell.
    if (edit !== undefined && current.current === undefined && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault();
      return moveOn(edit, event);
    }
    if (event.defaultPrevented) return;
    if (current.current !== undefined) return onEditKey(event);
    if (event.target !== event.currentTarget) return;
    const { active } = selection;
    const isControl = event.ctrlKey || event.metaKey;
    const next = moveByKey(selection, event, bounds());
    if (next !== undefined) {
      event.preventDefault();
      select(next);
    } else if (isMenuKey(event)) {
      event.preventDefault();
      const cell = document.getElementById(cellId(active.row, active.column));
      if (cell !== null) showMenu(cell, active, selection);
    } else if (event.key === 'F2') startEdit(active);
    else if (event.key === 'Escape') setChosen(single(active));
    else if (event.key === 'Delete' || event.key === 'Backspace') options.blocks.clear(selection);
    else if (event.key === 'd' && isControl) {
      event.preventDefault();
      options.blocks.fillDown(selection);
    } else if (event.key === ' ' || (event.key === 'Enter' && isControl)) {
      event.preventDefault();
      if (event.key === ' ' && event.shiftKey) options.toggleRow(active.row);
      else if (event.key === 'Enter' || !toggle(active)) options.open(active.row);
    } else if (isText(event) && kindOf({ collection, field: columns[active.column]!.field }).name !== 'boolean') {
      // The browser enters the character into the input, which has the focus by then.
      flushSync(() => void startEdit(active, true));
    }
  };

  /** A selection of several cells contains no new line. */
  const choose = (next: Selection) =>
    setChosen(next.anchor === next.active ? next : clampSelection(next, { ...bounds(), rows: bounds().stored }));
  const { filled, handlers } = usePointer({
    selection,
    setChosen: choose,
    commit,
    focus,
    edit: (place) => toggle(place) || startEdit(place),
    fill: options.blocks.fill,
    showMenu,
  });
  return { selection, choose, edit, commit, setText, filled, handlers: { onKeyDown, ...handlers } };
}

/** Whether the key types text; input methods announce themselves by `Process` and `Dead`. */
function isText({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return (
    !ctrlKey && !metaKey && (key === 'Process' || key === 'Dead' || ([...key].length === 1 && (key !== ' ' || altKey)))
  );
}

/** The place in a list: its scroll position and its active cell come back with the list. */
interface Place {
  readonly top: number;
  readonly selection: Selection;
}

/** By the URL of the list. */
const places = new Map<string, Place>();
/** The horizontal scroll position by collection: another filter or order leaves the columns in their place. */
const lefts = new Map<string, number>();

const lastSelection = (url: string): Selection => places.get(url)?.selection ?? START;

/** The field of the focused head, or empty for a cell, in a grid that another filter or order replaces. */
let replacedFocus: string | undefined;

/** Returns to the last place and the focus of a list, and remembers them when the list is left. */
function usePlace(
  query: ListQuery,
  scroller: RefObject<HTMLElement | null>,
  selection: Selection,
  isShown: boolean,
): void {
  const [url, { name }] = [listUrl(query), query.collection];
  const latest = useRef(selection);
  latest.current = selection;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!isShown || element === null) return;
    element.scrollTo(lefts.get(name) ?? 0, places.get(url)?.top ?? 0);
    const head = element.querySelector<HTMLElement>(
      `[role=columnheader][data-field="${CSS.escape(replacedFocus ?? '')}"] button`,
    );
    if (replacedFocus !== undefined && document.activeElement === document.body)
      (head ?? element).focus({ preventScroll: true });
    replacedFocus = undefined;
    return () => {
      places.set(url, { top: element.scrollTop, selection: latest.current });
      lefts.set(name, element.scrollLeft);
      const focused = document.activeElement;
      const field = focused?.closest<HTMLElement>('[role=columnheader]')?.dataset.field;
      replacedFocus = element.contains(focused) ? (field ?? '') : undefined;
    };
  }, [url, name, scroller, isShown]);
}
