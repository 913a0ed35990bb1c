/** Finds rows of a file that repeat a key or unique values, before a database is opened. */
import { type Collection, type Field, uniqueSets } from '../../collection/declaration.ts';
import { describeKey, type Key, valuesOf } from '../keys.ts';
import type { StoredRow } from '../types.ts';

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
