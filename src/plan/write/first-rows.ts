/** The initial rows of a catalogue: they are planned like those of any request. */
import type { CatalogueWithRows } from '../../collection/built-in.ts';
import { type Collection, type Field, uniqueSets } from '../../collection/declaration.ts';
import { circleError, findCircle, treeReferences } from '../../collection/tree.ts';
import { describeKey, type Key, valuesOf } from '../resolve.ts';
import type { StoredRow } from '../write-plan.ts';
import { rowPlanner } from './row-planner.ts';

export function firstRowsOf({ rows }: CatalogueWithRows): (collection: Collection) => readonly StoredRow[] {
  return (collection) => {
    const plan = rowPlanner(collection, collection.fields);
    const planned = rows(collection.name).map((row) =>
      plan(collection.fields.map(({ name }) => (Object.hasOwn(row, name) ? row[name] : undefined))),
    );
    checkCircles(collection, planned);
    return planned;
  };
}

function checkCircles(collection: Collection, rows: readonly StoredRow[]): void {
  const { fields, key } = collection;
  for (const reference of treeReferences(collection)) {
    const [own, above] = [fields.indexOf(key[0]!), fields.indexOf(reference.field)];
    const pairs = rows
      .map((row) => [String(row[own]), String(row[above] ?? row[own])] as const)
      .filter(([key, parent]) => key !== parent);
    const circle = findCircle(new Map(pairs));
    if (circle !== undefined) throw circleError(collection, reference, circle);
  }
}

export const NO_ROWS = (): readonly StoredRow[] => [];

export class RepeatedRows {
  /** The lines of earlier values, by unique set of fields. */
  private readonly seen: readonly { readonly fields: readonly Field[]; readonly lines: Map<string, number> }[];

  constructor(private readonly collection: Collection) {
    this.seen = uniqueSets(collection).map((fields) => ({ fields, lines: new Map() }));
  }

  /** Describes what a row repeats of an earlier row. Null equals nothing. */
  problemOf(row: StoredRow, line: number): string | undefined {
    for (const { fields, lines } of this.seen) {
      const values = valuesOf(this.collection, fields, row);
      if (values === undefined || values.includes(null)) continue;
      const name = JSON.stringify(fields.map(({ type }, index) => type.key(values[index]!)));
      const earlier = lines.get(name);
      if (earlier !== undefined)
        return `${describeKey(fields, printed(fields, values))} was given before, in line ${earlier}`;
      lines.set(name, line);
    }
    return undefined;
  }
}

function printed(fields: readonly Field[], values: Key): Key {
  return fields.map(({ type }, index) => type.print(values[index]!));
}
