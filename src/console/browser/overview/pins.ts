/** The pinned cards and charts of a person, in this browser. */
import { browserStorage } from '../base/storage.ts';
import { Store, useStore } from '../base/store.ts';
import type { Widget } from './widgets.ts';

const STORED = 'catalogue.overview';

/** The ids that the person chose; undefined before any choice. */
function storedPins(): readonly string[] | undefined {
  const ids = browserStorage.getJson(STORED);
  return Array.isArray(ids) ? ids : undefined;
}

const storedIds = new Store(storedPins());

export function usePins(all: readonly Widget[]) {
  const stored = useStore(storedIds);
  const ids = stored ?? all.filter(({ isDefault }) => isDefault).map(({ id }) => id);
  const store = (next: readonly string[] | undefined) => {
    browserStorage.setJson(STORED, next);
    storedIds.set(next);
  };
  return {
    // A widget of a former declaration is skipped.
    pinned: ids.flatMap((id) => all.find((each) => each.id === id) ?? []),
    isChanged: stored !== undefined,
    pin: (id: string) => store([...ids, id]),
    unpin: (id: string) => store(ids.filter((each) => each !== id)),
    reset: () => store(undefined),
  };
}
