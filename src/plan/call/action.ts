/**
 * An action: a batch of the declaration with placeholders. A call binds them to values in the body and in the syntax
 * tree of the filter, so an argument is never parsed as a part of a request. The batch planner plans the result.
 */

import { FAIL, type Report } from '../../base/error-list.ts';
import { ApiError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { say } from '../../base/sentence.ts';
import type { Action, ActionEntry, Collection, Field, RowsParameter } from '../../collection/declaration.ts';
import { isObject, parseJson } from '../../collection/exact-json.ts';
import { builtIn } from '../../collection/types/index.ts';
import { storeJson } from '../../collection/types/type.ts';
import type { Value } from '../../collection/value.ts';
import type { Query } from '../../dialect/tree.ts';
import { type Claims, claimAt, isInexact } from '../access/claims.ts';
import { EarlierValue } from '../write/earlier-value.ts';
import { rowPlanner } from '../write/row-planner.ts';
import type { Argument } from './arguments.ts';
import { bindArguments, parameterIn } from './stored-query.ts';

/** One request of the batch that a call executes. */
export interface BoundEntry {
  readonly entry: ActionEntry;
  /** The position of the entry, and of the row of its parameter. */
  readonly at: number;
  readonly row?: number;
  readonly body: unknown;
  /** Binds the filter. */
  readonly bind: (query: Query) => Query;
}

interface CallContext {
  /** Absent to check a declaration: then claims are null. */
  readonly claims: Claims | undefined;
  /** The time of the call, as text. */
  readonly now: string;
}

/** The value of a placeholder: for a body, and for a filter. */
interface Bound {
  readonly json: unknown;
  /** Absent for a value of an earlier entry, which only the engine knows, and for the time. */
  readonly argument?: Argument;
}

const TEXT = builtIn('text');

export function bindAction(action: Action, given: ActionArguments, context: CallContext): readonly BoundEntry[] {
  const requests: BoundEntry[] = [];
  /** The positions of the requests of named entries: one, or one for each row. */
  const named = new Map<string, readonly number[]>();
  for (const [at, entry] of action.entries.entries()) {
    const rows = entry.each === undefined ? [undefined] : [...given.rows.get(entry.each)!.keys()];
    const first = requests.length;
    for (const row of rows) {
      const lookUp = (name: string) => boundTo(name, entry, row, given, named, context);
      requests.push({
        entry,
        at,
        ...(row === undefined ? {} : { row }),
        body: bindBody(entry.body, lookUp),
        bind: (query) => bindArguments(query, { get: (name) => (name === '' ? undefined : lookUp(name)?.argument) }),
      });
    }
    if (entry.name !== undefined)
      named.set(
        entry.name,
        [...rows.keys()].map((index) => first + index),
      );
  }
  return requests;
}

/** Undefined if no placeholder has the name. */
function boundTo(
  name: string,
  { each }: ActionEntry,
  row: number | undefined,
  { values, rows }: ActionArguments,
  named: ReadonlyMap<string, readonly number[]>,
  { claims, now }: CallContext,
): Bound | undefined {
  // In a filter, `{now}` and `{today}` are the words of every stored request.
  if (name === 'now') return { json: now };
  const value = values.get(name);
  if (value !== undefined) return boundValue(value);
  const [first = '', ...path] = name.split('.');
  if (first === 'claims') return claimOf(path, claims);
  if (path.length === 0) return rows.has(first) ? { json: rows.get(first)!.map(asObject) } : undefined;
  const requests = named.get(first);
  if (requests !== undefined) return { json: new EarlierValue(requests[row ?? 0] ?? requests[0]!, path.join('.')) };
  const argument = first === each ? rows.get(first)?.[row!]?.get(path.join('.')) : undefined;
  return argument && boundValue(argument);
}

function boundValue(argument: Argument): Bound {
  return { json: jsonOf(argument), argument };
}

function jsonOf({ parameter, value }: Argument): unknown {
  return value === null ? null : parseJson(parameter.type.json(value));
}

function asObject(row: ReadonlyMap<string, Argument>): object {
  return Object.fromEntries([...row].map(([name, argument]) => [name, jsonOf(argument)]));
}

/** A caller without the claim cannot use the action: null could mean anybody's rows. */
function claimOf(path: readonly string[], claims: Claims | undefined): Bound {
  const claim = (claims && claimAt(claims, path)) ?? null;
  if (claims === undefined)
    return boundValue({ parameter: { name: 'claims', type: TEXT, isRequired: true }, value: null });
  if (claim === null) {
    throw new ApiError('42501', `permission denied: the claim ${path.join('.')} is missing`, {
      hint: 'The credentials need it to call this action.',
    });
  }
  const isList = Array.isArray(claim);
  const texts = (isList ? claim : [claim]).map((each) => {
    if (isInexact(each)) throw inexactClaim(path);
    return typeof each === 'object' ? JSON.stringify(each) : `${each}`;
  });
  const type = isList ? builtIn('text[]') : TEXT;
  const value = isList ? storeJson(type, texts) : texts[0]!;
  return { json: claim, argument: { parameter: { name: 'claims', type, isRequired: true }, value } };
}

function inexactClaim(path: readonly string[]): ApiError {
  return new ApiError('42501', `permission denied: the claim ${path.join('.')} is a number beyond 2^53`, {
    hint: 'The credentials need it as a text.',
  });
}

/** Replaces texts that are placeholders, at any depth. */
function bindBody(body: unknown, lookUp: (name: string) => Bound | undefined): unknown {
  if (typeof body === 'string') {
    const bound = lookUp(parameterIn(body) ?? '');
    return bound === undefined ? body : bound.json;
  }
  if (Array.isArray(body)) return body.map((each) => bindBody(each, lookUp));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([name, each]) => [name, bindBody(each, lookUp)]));
}

/** Whether an entry stores exactly one row. */
export function isOneRow({ entries }: Pick<Action, 'entries'>, name: string): boolean {
  const { each, method, body, affects } = entries.find((entry) => entry.name === name)!;
  const isObject = typeof body === 'object' && !Array.isArray(body);
  return each === undefined && (affects === 1 || (method === 'POST' && isObject));
}

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
      new ApiError('PGRST204', say`Could not find the '${unknown}' column of '${name}' in the schema cache`, {
        hint: say`The fields are ${names.join(', ')}${didYouMean(unknown, names)}.`,
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
