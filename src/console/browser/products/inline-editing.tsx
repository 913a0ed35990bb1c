/** Changing a row where it stands: one row at a time, begun in its current version, saved as one request. */
import { createContext, type ReactNode, type RefObject, useContext, useMemo, useRef, useState } from 'react';
import { useRefresh } from 'react-admin';
import type { Value } from '../../../collection/value.ts';
import { readRow, type Versioned } from '../shared/api.ts';
import { type Cells, fieldNamed, type Id, titleOf } from '../shared/collection.ts';
import { changesOf, saveRow } from '../shared/save-row.ts';
import { tell } from '../shared/undo.tsx';
import { tellOutcome } from '../shared/undo-row.ts';
import { DiscardDialog, LeaveGuard } from '../shared/unsaved.tsx';
import { readEntered } from '../shared/values.ts';
import { wordsOf } from '../shared/words.ts';

export interface Draft {
  /** The row as it was when editing began. */
  readonly begun: Versioned;
  /** What was touched: text as it was typed, to be read when it is saved, or a value that was chosen. */
  readonly typed: Readonly<Record<string, Typed>>;
  /** What is wrong with what was typed, by field, once it was to be saved. */
  readonly faults: Readonly<Record<string, string>>;
  /** What the service said to it. */
  readonly error?: unknown;
  readonly isSaving?: boolean;
  /** The field to put the cursor in. */
  readonly focus: string;
}

export type Typed = { readonly text: string } | { readonly value: Value };

/** They stay the same while a row is edited, so that the other rows need not be drawn again. */
export interface EditingActions {
  readonly begin: (id: Id, focus: string) => void;
  readonly set: (name: string, typed: Typed) => void;
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
  if (editing === undefined) throw new Error('useEditing belongs inside InlineEditing');
  return editing;
}

export function InlineEditing({ children }: { readonly children: ReactNode }) {
  const [draft, setDraft] = useState<Draft>();
  /** What the person wants to do instead, once they agree that this is dropped. */
  const [next, setNext] = useState<() => void>();
  const latest = useRef(draft);
  latest.current = draft;
  const isUnsaved = useRef(false);
  isUnsaved.current = draft !== undefined && hasChanges(draft);
  const actions = useActions(latest, isUnsaved, setDraft, setNext);
  const editing = useMemo<Editing>(() => ({ draft, actions }), [draft, actions]);
  const what = draft === undefined ? '' : titleOf(draft.begun.row);
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
        const begun = await readRow(id);
        setDraft(() => ({ begun, typed: {}, faults: {}, focus }));
      } catch (error) {
        tell(wordsOf(error), 'error');
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
          const outcome = await saveRow(saved.begun, values);
          if (outcome.kind === 'editing') return setDraft((now) => now && { ...now, isSaving: false });
          close();
          tellOutcome(outcome);
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

/** What cannot be read as a value is work, too. */
function hasChanges(draft: Draft): boolean {
  const { values, faults } = readDraft(draft);
  return Object.keys(faults).length > 0 || Object.keys(changesOf(draft.begun.row, values)).length > 0;
}

function without(faults: Draft['faults'], name: string): Draft['faults'] {
  const { [name]: _gone, ...rest } = faults;
  return rest;
}
