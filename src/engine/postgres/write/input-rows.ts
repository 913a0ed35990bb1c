/** Passes any number of input rows as one JSON parameter, read as a table. */
import { mapInSlices, runToEnd, type Task } from '../../../base/cooperative.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { Type } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { INPUT_ROWS, identifier } from '../../sql/statement.ts';
import type { Adopted } from '../adopt/adopt.ts';
import { columnType } from '../dialect.ts';

export { INPUT_ROWS };

type Column = Pick<Field, 'name' | 'type'>;

/** One parameter, since a statement takes at most 65,535. */
export function rowsAsJson(fields: readonly Column[], rows: readonly (readonly (Value | undefined)[])[]): string {
  return runToEnd(rowsAsJsonTask(fields, rows));
}

export function* rowsAsJsonTask(
  fields: readonly Column[],
  rows: readonly (readonly (Value | undefined)[])[],
): Task<string> {
  const columns = fields.map(({ name, type }) => ({ name: JSON.stringify(name), json: type.json }));
  const texts = yield* mapInSlices(rows, (row) => {
    const members = columns.flatMap(({ name, json }, index) => {
      const value = row[index];
      return value === undefined ? [] : `${name}:${value === null ? 'null' : json(value)}`;
    });
    return `{${members.join(',')}}`;
  });
  return `[${texts.join(',')}]`;
}

interface Target {
  readonly collection: Collection;
  readonly adopted: Adopted;
}

/**
 * The rows of a request as a table. A domain converts its values with its own cast. Texts to compare with an adopted
 * table take no collation of their own.
 */
export function recordset(target: Target, json: string, fields: readonly Column[]): string {
  const castOf = ({ type }: Column) => target.adopted.casts.get(type)?.fromJson;
  if (!fields.some((field) => castOf(field) !== undefined)) return storedRecordset(target, json, fields);
  const columns = fields.map((field) => {
    const [name, cast] = [identifier(field.name), castOf(field)];
    return cast === undefined ? name : `${cast}(${name}) as ${name}`;
  });
  const types = typedColumns(target, fields, (field) => castOf(field) !== undefined);
  return `(select ${columns.join(', ')} from ${tableOf(json, types)}) as ${INPUT_ROWS}`;
}

/** The same for rows that the database returned. */
export function storedRecordset(target: Target, json: string, fields: readonly Column[]): string {
  return tableOf(json, typedColumns(target, fields));
}

function tableOf(json: string, columns: string): string {
  if (columns === '') return `json_array_elements(${json}::json) as ${INPUT_ROWS}`;
  return `json_to_recordset(${json}::json) as ${INPUT_ROWS} (${columns})`;
}

/** The columns with their types, or with json. */
export function typedColumns(target: Target, fields: readonly Column[], isJson = (_: Column) => false): string {
  const typeOf = target.adopted.collections.has(target.collection) ? ({ postgres }: Type) => postgres.name : columnType;
  return fields.map((field) => `${identifier(field.name)} ${isJson(field) ? 'json' : typeOf(field.type)}`).join(', ');
}
