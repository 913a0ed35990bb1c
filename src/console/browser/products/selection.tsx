/**
 * What is selected: rows that are in sight, or all that match the filter, and that is said. Another filter, page or order
 * begins without a selection, so that nothing is changed or deleted that one does not see.
 */
import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import { ListContext, useListContext } from 'react-admin';
import type { Target } from '../shared/bulk.ts';
import type { Id } from '../shared/collection.ts';
import { filterOf } from '../shared/query.ts';
import { usePlace, useShownRows } from './shown-rows.tsx';

interface Selection {
  readonly ids: readonly Id[];
  readonly isWholePage: boolean;
  /** All that match, whether in sight or not. */
  readonly isAllMatching: boolean;
  readonly target: Target | undefined;
  readonly actions: SelectionActions;
}

/** They stay the same, so that rows need not be drawn again. */
export interface SelectionActions {
  /** With the shift key: all from the last one that was clicked to this one. */
  readonly toggle: (id: Id, isRange: boolean) => void;
  readonly selectPage: (isOn: boolean) => void;
  readonly selectMatching: () => void;
  readonly clear: () => void;
}

interface Kept {
  readonly place: string;
  readonly ids: readonly Id[];
  readonly isAllMatching: boolean;
}

const Context = createContext<Selection | undefined>(undefined);

export function useSelection(): Selection {
  const selection = useContext(Context);
  if (selection === undefined) throw new Error('useSelection belongs inside SelectionOfRows');
  return selection;
}

export function SelectionOfRows({ children }: { readonly children: ReactNode }) {
  const list = useListContext();
  const { filterValues, total = 0 } = list;
  const inSight = useShownRows().rows.map(({ id }) => id);
  const { place } = usePlace();
  const [kept, setKept] = useState<Kept>({ place, ids: [], isAllMatching: false });
  const isHere = kept.place === place;
  // Whoever comes back begins anew, too.
  if (!isHere) setKept({ place, ids: [], isAllMatching: false });
  const isAllMatching = isHere && kept.isAllMatching;
  const ids = isAllMatching ? inSight : isHere ? inSight.filter((id) => kept.ids.includes(id)) : [];

  const now = useRef({ ids, inSight, place });
  now.current = { ids, inSight, place };
  const last = useRef<Id>(undefined);
  const actions = useMemo<SelectionActions>(() => {
    const select = (chosen: readonly Id[], isAll = false) =>
      setKept({ place: now.current.place, ids: chosen, isAllMatching: isAll });
    return {
      toggle(id, isRange) {
        const { ids: before, inSight: all } = now.current;
        const from = isRange && last.current !== undefined ? all.indexOf(last.current) : -1;
        const to = all.indexOf(id);
        const concerned = from === -1 ? [id] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
        last.current = id;
        const others = before.filter((each) => !concerned.includes(each));
        select(before.includes(id) ? others : [...others, ...concerned]);
      },
      selectPage: (isOn) => select(isOn ? now.current.inSight : []),
      selectMatching: () => select([], true),
      clear: () => select([]),
    };
  }, []);

  const target: Target | undefined = isAllMatching
    ? { kind: 'matching', filter: filterOf(filterValues), count: total }
    : ids.length > 0
      ? { kind: 'rows', ids }
      : undefined;
  const isWholePage = inSight.length > 0 && ids.length === inSight.length;
  // For whatever asks react-admin; all that match are what it shows without a selection.
  const shared = { ...list, selectedIds: isAllMatching ? [] : [...ids], onUnselectItems: actions.clear };
  return (
    <ListContext.Provider value={shared as typeof list}>
      <Context.Provider value={{ ids, isWholePage, isAllMatching, target, actions }}>{children}</Context.Provider>
    </ListContext.Provider>
  );
}
