/** Edits one row within the grid: reads its current version, and saves all changes in one request. */
import { createContext, type ReactNode, type RefObject, useContext, useMemo, useRef, useState } from 'react';
import { useRefresh } from 'react-admin';
import type { Value } from '../../../../collection/value.ts';
import { readRow, type Versioned } from '../../shared/api/api.ts';
import { type Cells, fieldNamed, type Id, titleOf } from '../../shared/api/collection.ts';
import { changesOf, saveRow } from '../../shared/api/save-row.ts';
import { DiscardDialog, LeaveGuard } from '../../shared/page/unsaved.tsx';
import { showMessage } from '../../shared/undo/undo.tsx';
import { reportOutcome } from '../../shared/undo/undo-row.ts';
import { readEntered } from '../../shared/values/values.ts';
import { describeError } from '../../shared/values/words.ts';

export interface Draft {
  /** The row and version at the start of the edit. */
  readonly original: Versioned;
  /** Edited fields: typed text, which is parsed on save, or a chosen value. */
  readonly typed: Readonly<Record<string, EditedValue>>;
  /** Validation messages by field, set on save. */
  readonly faults: Readonly<Record<string, string>>;
  /** The error of the last save. */
  readonly error?: unknown;
  readonly isSaving?: boolean;
  /** The field that gets the focus. */
  readonly focus: string;
}

export type EditedValue = { readonly text: string } | { readonly value: Value };

/** These functions stay identical during an edit, so that other rows do not render again. */
export interface EditingActions {
  readonly begin: (id: Id, focus: string) => void;
  readonly set: (name: string, typed: EditedValue) => void;
  readonly save: () => Promise<void>;
  readonly cancel: () => void;
}

interface Editing {
  readonly draft: Draft | undefined;
  readonly actions: EditingActions;
}

const Context = createContext<Editing | undefined>(undefined);

export function useEditing(): Editing {
  const editing = useContext(Context);
  if (editing === undefined) throw new Error('useEditing must be used inside InlineEditing');
  return editing;
}

export function InlineEditing({ children }: { readonly children: ReactNode }) {
  const [draft, setDraft] = useState<Draft>();
  /** The action that waits until the person agrees to discard the draft. */
  const [next, setNext] = useState<() => void>();
  const latest = useRef(draft);
  latest.current = draft;
  const isUnsaved = useRef(false);
  isUnsaved.current = draft !== undefined && hasChanges(draft);
  const actions = useActions(latest, isUnsaved, setDraft, setNext);
  const editing = useMemo<Editing>(() => ({ draft, actions }), [draft, actions]);
  const what = draft === undefined ? '' : titleOf(draft.original.row);
  const discard = () => {
    setNext(undefined);
    setDraft(undefined);
    next?.();
  };
  return (
    <Context.Provider value={editing}>
      {children}
      <LeaveGuard isUnsaved={isUnsaved} when={isUnsaved.current} what={what} />
      {next !== undefined && <DiscardDialog what={what} discard={discard} stay={() => setNext(undefined)} />}
    </Context.Provider>
  );
}

function useActions(
  latest: RefObject<Draft | undefined>,
  isUnsaved: RefObject<boolean>,
  setDraft: (change: (now: Draft | undefined) => Draft | undefined) => void,
  setNext: (next: () => () => void) => void,
): EditingActions {
  const refresh = useRefresh();
  return useMemo(() => {
    const open = async (id: Id, focus: string) => {
      try {
        const original = await readRow(id);
        setDraft(() => ({ original, typed: {}, faults: {}, focus }));
      } catch (error) {
        showMessage(describeError(error), 'error');
        refresh();
      }
    };
    const close = () => {
      isUnsaved.current = false;
      setDraft(() => undefined);
      refresh();
    };
    return {
      begin(id, focus) {
        if (isUnsaved.current) setNext(() => () => void open(id, focus));
        else void open(id, focus);
      },
      set: (name, typed) =>
        setDraft((now) => now && { ...now, typed: { ...now.typed, [name]: typed }, faults: without(now.faults, name) }),
      async save() {
        const { current: saved } = latest;
        if (saved === undefined || saved.isSaving) return;
        const { values, faults } = readDraft(saved);
        if (Object.keys(faults).length > 0) return setDraft(() => ({ ...saved, faults }));
        setDraft((now) => now && { ...now, isSaving: true });
        try {
          const outcome = await saveRow(saved.original, values);
          if (outcome.kind === 'editing') return setDraft((now) => now && { ...now, isSaving: false });
          close();
          reportOutcome(outcome);
        } catch (error) {
          setDraft((now) => now && { ...now, error, isSaving: false });
        }
      },
      cancel: () => setDraft(() => undefined),
    };
  }, [latest, isUnsaved, setDraft, setNext, refresh]);
}

interface ReadDraft {
  readonly values: Cells;
  readonly faults: Readonly<Record<string, string>>;
}

function readDraft({ typed }: Draft): ReadDraft {
  const values: Record<string, Value> = {};
  const faults: Record<string, string> = {};
  for (const [name, each] of Object.entries(typed)) {
    const entered = 'text' in each ? readEntered(fieldNamed(name)!, each.text) : each;
    if ('problem' in entered) faults[name] = entered.problem;
    else values[name] = entered.value;
  }
  return { values, faults };
}

/** Text that is not a valid value is also unsaved work. */
function hasChanges(draft: Draft): boolean {
  const { values, faults } = readDraft(draft);
  return Object.keys(faults).length > 0 || Object.keys(changesOf(draft.original.row, values)).length > 0;
}

function without(faults: Draft['faults'], name: string): Draft['faults'] {
  const { [name]: _gone, ...rest } = faults;
  return rest;
}
