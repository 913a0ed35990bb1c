/** A bulk update: each object identifies its row by key and changes its other fields, in order. */
import { ApiError } from '../../../base/errors.ts';
import { MAX_RETURNED_BYTES } from '../../../base/limits/engine.ts';
import { type Collection, type Field, isKey } from '../../../collection/declaration.ts';
import { rowDenied } from '../../../collection/permission-errors.ts';
import type { Row, Value } from '../../../collection/value.ts';
import { andAlso } from '../../../plan/access/permissions.ts';
import { ALWAYS, isAlways, type Predicate, type Restriction, type UpdateEachPlan } from '../../../plan/types.ts';
import { missingRow, notInFilter, returnTooLarge } from '../../shared/write-checks.ts';
import { compilePredicate } from '../../sql/predicate.ts';
import { scopeOf } from '../../sql/read.ts';
import { buildStatement, identifier, type Statement } from '../../sql/statement.ts';
import { TEXT } from '../dialect.ts';
import { query, type Runner } from '../driver.ts';
import { setOrigin } from '../history/request.ts';
import { changedWithin } from '../read/row-bytes.ts';
import { INPUT_ROWS, recordset, rowsAsJson } from './input-rows.ts';
import {
  compileShown,
  keyText,
  qualifiedKey,
  type ReturnedRows,
  type WriteContext,
  type Written,
} from './statements.ts';

interface ChangedRow {
  readonly 'row key': readonly string[];
  readonly 'row json'?: string;
  readonly 'is allowed'?: boolean;
}

/** A longer statement would delay other requests. */
const ROWS_PER_STATEMENT = 1_000;

type Change = UpdateEachPlan['changes'][number];

export async function bulkUpdate(
  runner: Runner,
  context: WriteContext,
  plan: UpdateEachPlan,
  returned: ReturnedRows | undefined,
  limitMs: number,
): Promise<Written> {
  const { collection } = context;
  const { changes } = plan;
  const deadline = performance.now() + limitMs;
  const met = andAlso(plan.restriction?.met ?? ALWAYS, plan.among ?? ALWAYS);
  const restriction = isAlways(met) ? plan.restriction : { ...plan.restriction, met };
  const missing = plan.among === undefined ? missingRow : notInFilter;
  if (context.origin !== undefined) await setOrigin(runner, context.origin);
  await query(runner, compileLock(context, changes, restriction?.met));
  const changed: string[] = [];
  let done = 0;
  let bytes = 0;
  for (const batch of batchesOf(collection, changes)) {
    // The server limits only each single statement.
    if (performance.now() > deadline) throw tooManyStatements();
    const rows = await query<ChangedRow>(runner, compileBatch(context, batch, returned !== undefined, restriction));
    if (rows.some((row) => row['is allowed'] === false)) throw rowDenied(collection.name);
    const byKey = new Map(rows.map((row) => [row['row key'].join('\0'), row['row json'] ?? '']));
    for (const [index, { key }] of batch.entries()) {
      const row = byKey.get(key.map((value, at) => collection.key[at]!.type.print(value)).join('\0'));
      if (row === undefined) throw missing(collection, key, done + index);
      if (returned !== undefined) changed.push(row);
      bytes += row.length;
    }
    done += batch.length;
    if (bytes > MAX_RETURNED_BYTES) throw returnTooLarge();
  }
  const counts = { affected: changes.length, inserted: 0, key: null };
  if (returned === undefined) return counts;
  const json = `[${changed.join(',')}]`;
  const [shown] = await query<{ rows: readonly Row[] }>(runner, compileShown(context, returned, json));
  return { ...counts, rows: shown!.rows };
}

/**
 * Consecutive changes of the same fields on different rows share a statement, up to a limit. A changed key runs alone,
 * and so does a change that will be rejected: the first of several errors is reported.
 */
function batchesOf(collection: Collection, changes: readonly Change[]): Change[][] {
  const batches: Change[][] = [];
  let keys = new Set<string>();
  let signature = '';
  for (const change of changes) {
    const names = change.set.map(({ field }) => field.name).join();
    const isAlone = change.set.some(({ field, value }) => isKey(collection, field) || isRejected(field, value));
    const key = change.key.join('\0');
    const isFull = batches.at(-1)?.length === ROWS_PER_STATEMENT;
    if (batches.length === 0 || isAlone || names !== signature || keys.has(key) || isFull) {
      batches.push([]);
      keys = new Set();
      signature = isAlone ? 'alone' : names;
    }
    batches.at(-1)!.push(change);
    keys.add(key);
  }
  return batches;
}

function isRejected(field: Field, value: Value): boolean {
  return field.required === true && value === null;
}

/** The columns of a change's key, beside the fields that it sets. */
function keyColumns({ key }: Collection): readonly Field[] {
  return key.map((field) => ({ ...field, name: `key ${field.name}` }));
}

/** The condition that joins a collection with its input rows. */
function hasSameKey({ name, key }: Collection): string {
  const same = key.map(
    (field) => `${identifier(name)}.${identifier(field.name)} = ${INPUT_ROWS}.${identifier(`key ${field.name}`)}`,
  );
  return same.join(' and ');
}

/** Locks rows in key order, as every bulk update does, which prevents deadlocks. */
function compileLock(context: WriteContext, changes: readonly Change[], met?: Predicate): Statement {
  const { collection, dialect } = context;
  const table = identifier(collection.name);
  const columns = keyColumns(collection);
  const json = rowsAsJson(
    columns,
    changes.map(({ key }) => key),
  );
  return buildStatement(dialect, (bind) => {
    const input = recordset(context, bind(json, TEXT), columns);
    const rule = met === undefined ? '' : ` where ${compilePredicate(met, scopeOf(dialect, bind, collection.name))}`;
    return `select 1 from ${table} join ${input} on ${hasSameKey(collection)}${rule} order by ${qualifiedKey(collection)} for update of ${table}`;
  });
}

/** Updates rows that set the same fields, each by its key; returns the keys that exist. */
function compileBatch(
  context: WriteContext,
  batch: readonly Change[],
  returnsRows: boolean,
  { met, changed }: Restriction = {},
): Statement {
  const { collection, dialect } = context;
  const table = identifier(collection.name);
  const fields = batch[0]!.set.map(({ field }) => field);
  const columns = [...keyColumns(collection), ...fields];
  const rows = batch.map(({ key, set }) => [...key, ...set.map(({ value }) => value)]);
  return buildStatement(dialect, (bind) => {
    const input = recordset(context, bind(rowsAsJson(columns, rows), TEXT), columns);
    const set = fields.map(({ name }) => `${identifier(name)} = ${INPUT_ROWS}.${identifier(name)}`).join(', ');
    const scope = scopeOf(dialect, bind, collection.name);
    const key = keyText(keyColumns(collection), ({ name }) => `${INPUT_ROWS}.${identifier(name)}`);
    const rule = met === undefined ? '' : ` and (${compilePredicate(met, scope)})`;
    const allowed = changed === undefined ? '' : `, (${compilePredicate(changed, scope)}) is true as "is allowed"`;
    const update = `update ${table} set ${set} from ${input} where ${hasSameKey(collection)}${rule} returning ${key} as "row key"${allowed}`;
    if (!returnsRows) return update;
    const names = `"row key", ${changed === undefined ? '' : '"is allowed", '}"row json"`;
    return changedWithin(`${update}, row_to_json(${table}.*)::text as "row json"`, names, '"row json"');
  });
}

function tooManyStatements(): ApiError {
  return new ApiError('57014', 'canceling statement due to statement timeout', {
    details: 'Nothing was changed.',
    hint: 'Send fewer rows at a time, and those that set the same fields one behind the other; or raise --query-timeout.',
  });
}
