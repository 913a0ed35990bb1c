/** Changing a row where it stands: one row at a time, begun in its current version, saved as one request. */
import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import { useDataProvider, useNotify, useRefresh } from 'react-admin';
import type { Value } from '../../../collection/value.ts';
import { collectionName, type Id, type Record_ } from '../shared/collection.ts';
import { messageOf } from '../shared/http.ts';
import { useOfferUndoOfChange } from './undo-change.ts';

export interface Draft {
  /** The row as it was when editing began. */
  readonly row: Record_;
  readonly values: Readonly<Record<string, Value>>;
  /** The field to put the cursor in. */
  readonly focus: string;
}

/** They stay the same while a row is edited, so that the other rows need not be drawn again. */
export interface EditingActions {
  readonly begin: (id: Id, focus: string) => Promise<void>;
  readonly set: (name: string, value: Value) => void;
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
  const dataProvider = useDataProvider();
  const notify = useNotify();
  const refresh = useRefresh();
  const offerUndo = useOfferUndoOfChange();
  const [draft, setDraft] = useState<Draft>();
  const latest = useRef(draft);
  latest.current = draft;

  const actions = useMemo<EditingActions>(
    () => ({
      async begin(id, focus) {
        try {
          const { data } = await dataProvider.getOne<Record_>(collectionName, { id });
          setDraft({ row: data, values: data, focus });
        } catch (error) {
          notify(messageOf(error), { type: 'error' });
          refresh();
        }
      },
      set: (name, value) => setDraft((now) => now && { ...now, values: { ...now.values, [name]: value } }),
      async save() {
        if (latest.current === undefined) return;
        const { row, values } = latest.current;
        try {
          const { data } = await dataProvider.update<Record_>(collectionName, {
            id: row.id,
            data: values as Partial<Record_>,
            previousData: row,
          });
          setDraft(undefined);
          offerUndo(row, data);
          refresh();
        } catch (error) {
          notify(messageOf(error), { type: 'error', multiLine: true });
        }
      },
      cancel: () => setDraft(undefined),
    }),
    [dataProvider, notify, refresh, offerUndo],
  );
  const editing = useMemo<Editing>(() => ({ draft, actions }), [draft, actions]);
  return <Context.Provider value={editing}>{children}</Context.Provider>;
}
