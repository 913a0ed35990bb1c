/** Conditions that find rows of a load that conflict with another row, in SQL for both engines. */
import type { Collection, Field } from '../../collection/declaration.ts';
import { columnList, identifier } from '../sql/statement.ts';
import type { LoadOptions } from './loader.ts';

export interface LoadTables {
  readonly collection: Collection;
  /** The tables of the staged rows and of the stored rows. */
  readonly rows: string;
  readonly table: string;
  /** The sets of fields that rows supply, by number. */
  readonly shapes: readonly (readonly Field[])[];
}

interface ConflictConditions {
  /** The key, or fields that are unique together. */
  readonly fields: readonly Field[];
  /** Finds rows that repeat an earlier staged row. Null equals nothing. */
  readonly repeated: string;
  /** Finds rows that repeat a stored row; absent if they overwrite it. */
  readonly taken?: string;
}

/** The key comes first. */
export function conflictConditions(tables: LoadTables, onConflict: LoadOptions['onConflict']): ConflictConditions[] {
  const { collection, rows, table } = tables;
  const unique = collection.unique.flatMap(({ fields }) => uniqueConflicts(tables, fields, onConflict));
  if (onConflict === 'keep') return unique;
  const { key: fields } = collection;
  const repeated = isRepeated(rows, fields, hasValues(fields));
  const taken = `(${columnList(fields)}) in (select ${columnList(fields)} from ${table})`;
  return [{ fields, repeated, ...(onConflict === 'refuse' ? { taken } : {}) }, ...unique];
}

function uniqueConflicts(
  { collection: { key }, rows, table, shapes }: LoadTables,
  fields: readonly Field[],
  onConflict: LoadOptions['onConflict'],
): ConflictConditions[] {
  const keys = columnList(key);
  const conditions = [hasValues(fields)];
  const same = fields.map(({ name }) => `there.${identifier(name)} = given.${identifier(name)}`);
  if (onConflict === 'keep') {
    // A row whose key exists, or occurred before, is skipped and cannot conflict.
    conditions.push(`((${keys}) in (select ${keys} from ${table})) is not true`);
    conditions.push(`(not (${hasValues(key)}) or "the row" in (select min("the row") from ${rows} group by ${keys}))`);
  }
  if (onConflict === 'overwrite') {
    // Only supplied fields are overwritten. A stored row that is overwritten as well may release its values.
    const giving = [...shapes.keys()].filter((shape) => fields.every((field) => shapes[shape]!.includes(field)));
    if (giving.length === 0) return [];
    conditions.push(`"the shape" in (${giving.join(', ')})`);
    same.push(`((${columnList(key, 'there.')}) in (select ${keys} from ${rows})) is not true`);
  }
  const isCounted = conditions.join(' and ');
  return [
    {
      fields,
      repeated: isRepeated(rows, fields, isCounted),
      taken: `${isCounted} and exists (select 1 from ${table} as there where ${same.join(' and ')})`,
    },
  ];
}

function isRepeated(rows: string, fields: readonly Field[], isCounted: string): string {
  const first = `select min("the row") from ${rows} where ${isCounted} group by ${columnList(fields)}`;
  return `${isCounted} and "the row" not in (${first})`;
}

function hasValues(fields: readonly Field[]): string {
  return fields.map(({ name }) => `${identifier(name)} is not null`).join(' and ');
}
