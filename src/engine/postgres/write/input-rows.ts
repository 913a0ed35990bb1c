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

/** The rows as a table. Texts to compare with an adopted table take no collation of their own. */
export function recordset({ collection, adopted }: Target, json: string, fields: readonly Column[]): string {
  const isAdopted = adopted.collections.has(collection);
  const columns = fields
    .map(({ name, type }) => `${identifier(name)} ${isAdopted ? type.postgres.name : columnType(type)}`)
    .join(', ');
  return `json_to_recordset(${json}::json) as ${INPUT_ROWS} (${columns})`;
}
