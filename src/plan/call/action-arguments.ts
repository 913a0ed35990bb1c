/** The arguments of an action, checked like the fields of rows. */
import { FAIL, type Report } from '../../base/error-list.ts';
import { ApiError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { Action, Collection, Field, RowsParameter } from '../../collection/declaration.ts';
import { isObject } from '../../collection/exact-json.ts';
import type { Value } from '../../collection/value.ts';
import { rowPlanner } from '../write/row-planner.ts';
import type { Argument } from './arguments.ts';

export interface ActionArguments {
  readonly values: ReadonlyMap<string, Argument>;
  /** The rows of each parameter that is rows; the values of a row by field. */
  readonly rows: ReadonlyMap<string, readonly ReadonlyMap<string, Argument>[]>;
}

type Cells = Readonly<Record<string, unknown>>;

/** If `report` does not throw, invalid values are null. */
export function readActionArguments(
  { values, rows }: Action,
  given: ReadonlyMap<string, unknown>,
  report: Report = FAIL,
): ActionArguments {
  return {
    values: readRow(values, Object.fromEntries([...given].filter(([name]) => !rows.has(name))), report),
    rows: new Map([...rows].map(([name, parameter]) => [name, readRows(name, parameter, given.get(name), report)])),
  };
}

function readRows(
  name: string,
  { collection, isRequired, maximum }: RowsParameter,
  given: unknown,
  report: Report,
): readonly ReadonlyMap<string, Argument>[] {
  const list = given ?? [];
  const problem = !Array.isArray(list)
    ? new ApiError('22P02', `${name} is not a list of rows`, { hint: `Send "${name}": [{…}].` })
    : list.length === 0 && isRequired
      ? new ApiError('23502', `${name} has no rows`, { hint: `Send at least one row: "${name}": [{…}].` })
      : list.length > maximum
        ? new ApiError('23514', `${name} may have ${maximum} rows, and not ${list.length}`)
        : undefined;
  if (problem !== undefined) {
    report(problem.with({ field: name, nothingChanged: true }));
    return [];
  }
  return (list as unknown[]).map((row, index) => {
    const at: Report = (error) => report(error.with({ index }));
    if (isObject(row)) return readRow(collection, row, at);
    at(new ApiError('PGRST102', `row ${index + 1} of ${name} is not an object`, { field: name }));
    return readRow(collection, {}, () => {});
  });
}

function readRow(collection: Collection, cells: Cells, report: Report): ReadonlyMap<string, Argument> {
  const { name, fields, byName } = collection;
  const unknown = Object.keys(cells).find((each) => !byName.has(each));
  if (unknown !== undefined) {
    const names = fields.map((field) => field.name);
    report(
      new ApiError('PGRST204', `Could not find the '${unknown}' column of '${name}' in the schema cache`, {
        hint: `The fields are ${names.join(', ')}${didYouMean(unknown, names)}.`,
        field: unknown,
      }),
    );
  }
  const cellOf = (field: Field) => (Object.hasOwn(cells, field.name) ? cells[field.name] : undefined);
  const row = rowPlanner(collection, fields)(fields.map(cellOf), ({ apiError, field }) =>
    report(apiError.with({ field: field.name, value: cellOf(field) })),
  );
  return new Map(fields.map((field, index) => [field.name, argumentOf(field, row[index] ?? null)]));
}

function argumentOf({ name, type }: Field, value: Value): Argument {
  return { parameter: { name, type, isRequired: true }, value };
}
