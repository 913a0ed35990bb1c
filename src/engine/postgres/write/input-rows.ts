/** Passes any number of input rows as one JSON parameter, read as a table. */

import { mapInSlices, runToEnd, type Task } from '../../../base/cooperative.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
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
  const types = fields.map((field) => (castOf(field) === undefined ? typeOf(target, field) : 'json'));
  return `(select ${columns.join(', ')} from ${tableOf(json, fields, types)}) as ${INPUT_ROWS}`;
}

/** The same for rows that the database returned. */
export function storedRecordset(target: Target, json: string, fields: readonly Column[]): string {
  return tableOf(
    json,
    fields,
    fields.map((field) => typeOf(target, field)),
  );
}

function tableOf(json: string, fields: readonly Column[], types: readonly string[]): string {
  const columns = fields.map(({ name }, index) => `${identifier(name)} ${types[index]}`);
  return `json_to_recordset(${json}::json) as ${INPUT_ROWS} (${columns.join(', ')})`;
}

function typeOf({ collection, adopted }: Target, { type }: Column): string {
  return adopted.collections.has(collection) ? type.postgres.name : columnType(type);
}
