/** Conditions that find rows of a load whose unique values repeat those of another row, in SQL for both engines. */
import type { Collection, Field } from '../../collection/declaration.ts';
import type { LoadOptions } from '../shared/loader.ts';
import { identifier } from './statement.ts';

export interface StagedRows {
  readonly collection: Collection;
  /** The tables of the staged rows and of the stored rows. */
  readonly rows: string;
  readonly table: string;
  /** The column that numbers the staged rows. */
  readonly number: string;
  /** The sets of fields that rows supply, by number. */
  readonly shapes: readonly (readonly Field[])[];
}

export interface SharedValues {
  readonly fields: readonly Field[];
  /**
   * Conditions for rows that repeat an earlier staged row, and for rows that repeat a stored one. Null equals nothing.
   */
  readonly repeated: string;
  readonly taken: string;
}

export function sharedValues(gathered: StagedRows, onConflict: LoadOptions['onConflict']): readonly SharedValues[] {
  const { collection, rows, table, number, shapes } = gathered;
  const keys = list(collection.key);
  return collection.unique.flatMap(({ fields }) => {
    const columns = list(fields);
    const isGiven = fields.map(({ name }) => `${identifier(name)} is not null`);
    const same = fields.map(({ name }) => `there.${identifier(name)} = given.${identifier(name)}`);
    const conditions = [...isGiven];
    if (onConflict === 'keep') {
      // A row whose key exists, or occurred before, is skipped and cannot conflict.
      const first = `select min(${number}) from ${rows} group by ${keys}`;
      const hasKey = collection.key.map(({ name }) => `${identifier(name)} is not null`).join(' and ');
      conditions.push(`((${keys}) in (select ${keys} from ${table})) is not true`);
      conditions.push(`(not (${hasKey}) or ${number} in (${first}))`);
    }
    if (onConflict === 'overwrite') {
      // Fields that are not supplied are not overwritten. A stored row that is overwritten as well may release its
      // values.
      const giving = [...shapes.keys()].filter((shape) => fields.every((field) => shapes[shape]!.includes(field)));
      if (giving.length === 0) return [];
      conditions.push(`"the shape" in (${giving.join(', ')})`);
      same.push(`((${list(collection.key, 'there.')}) in (select ${keys} from ${rows})) is not true`);
    }
    const counted = conditions.join(' and ');
    return {
      fields,
      repeated: `${counted} and ${number} not in (select min(${number}) from ${rows} where ${counted} group by ${columns})`,
      taken: `${counted} and exists (select 1 from ${table} as there where ${same.join(' and ')})`,
    };
  });
}

function list(fields: readonly Field[], of = ''): string {
  return fields.map(({ name }) => `${of}${identifier(name)}`).join(', ');
}
