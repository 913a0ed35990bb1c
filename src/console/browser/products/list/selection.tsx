/**
 * The selection: rows of the current page, or all rows that match the filter. A new filter, page or order clears it, so
 * that no invisible row is changed or deleted.
 */
import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import type { Id } from '../../shared/api/collection.ts';
import { filterOf } from '../../shared/api/query.ts';
import type { Target } from '../../shared/undo/bulk.ts';
import { useListLocation, useShownRows } from './visible-rows.tsx';

interface Selection {
  readonly ids: readonly Id[];
  readonly isWholePage: boolean;
  /** Whether all matching rows are selected, visible or not. */
  readonly isAllMatching: boolean;
  readonly target: Target | undefined;
  readonly actions: SelectionActions;
}

/** These functions stay identical, so that rows do not render again. */
export interface SelectionActions {
  /** With Shift: selects all rows from the last clicked one to this one. */
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
  if (selection === undefined) throw new Error('useSelection must be used inside SelectionOfRows');
  return selection;
}

export function SelectionOfRows({ children }: { readonly children: ReactNode }) {
  const { filterValues, total = 0 } = useListContext();
  const inSight = useShownRows().rows.map(({ id }) => id);
  const { place } = useListLocation();
  const [kept, setKept] = useState<Kept>({ place, ids: [], isAllMatching: false });
  const isHere = kept.place === place;
  // The selection is also empty after coming back to the list.
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
  return <Context.Provider value={{ ids, isWholePage, isAllMatching, target, actions }}>{children}</Context.Provider>;
}
