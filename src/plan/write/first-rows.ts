/** Plans the initial rows of a catalogue like those of any request. */
import type { CatalogueWithRows } from '../../collection/built-in.ts';
import type { Collection } from '../../collection/declaration.ts';
import type { StoredRow } from '../types.ts';
import { rowPlanner } from './row-planner.ts';

export function firstRowsOf({ rows }: CatalogueWithRows): (collection: Collection) => readonly StoredRow[] {
  return (collection) => {
    const plan = rowPlanner(collection, collection.fields);
    return rows(collection.name).map((row) =>
      plan(collection.fields.map(({ name }) => (Object.hasOwn(row, name) ? row[name] : undefined))),
    );
  };
}

export const NO_ROWS = (): readonly StoredRow[] => [];
