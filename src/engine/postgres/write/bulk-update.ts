/** A bulk update: each object identifies its row by unique fields and changes its other fields. */
import { ApiError } from '../../../base/errors.ts';
import { MAX_RETURNED_BYTES } from '../../../base/limits/engine.ts';
import type { Field } from '../../../collection/declaration.ts';
import { builtIn } from '../../../collection/types/index.ts';
import { andAlso } from '../../../plan/access/permissions.ts';
import { ALWAYS, isAlways, type Predicate } from '../../../plan/types.ts';
import type { Restriction, UpdateEachPlan } from '../../../plan/write-plan.ts';
import { checkMissing, returnTooLarge } from '../../shared/write-checks.ts';
import { assignedSql, boundValue, shapeOf } from '../../sql/assignment.ts';
import { compilePredicate } from '../../sql/predicate.ts';
import { scopeOf } from '../../sql/read.ts';
import { buildStatement, identifier, type Statement } from '../../sql/statement.ts';
import { TEXT } from '../dialect.ts';
import { query, type Runner } from '../driver.ts';
import { sqlState } from '../errors.ts';
import { setOrigin } from '../history/log.ts';
import { changedWithin, isTooLong } from '../read/row-bytes.ts';
import { INPUT_ROWS, recordset, rowsAsJson } from './input-rows.ts';
import { isAllowed, qualifiedKey } from './statements.ts';
import type { Progress, Step, WriteContext, WriteLimits, Written } from './step.ts';

interface ChangedRow {
  readonly ' row number': number;
  readonly ' row json'?: string;
}

/** A longer statement would delay other requests. */
const ROWS_PER_STATEMENT = 1_000;

type Change = UpdateEachPlan['changes'][number] & { readonly index: number };

interface BulkUpdate extends Pick<Step, 'context'> {
  readonly plan: UpdateEachPlan;
  readonly returnsRows: boolean;
  readonly limits: WriteLimits;
  readonly progress: Progress;
}

export async function bulkUpdate(runner: Runner, job: BulkUpdate): Promise<Written> {
  const { context, plan, returnsRows, limits, progress } = job;
  const deadline = performance.now() + limits.querySeconds * 1000;
  const met = andAlso(plan.restriction?.met ?? ALWAYS, plan.among ?? ALWAYS);
  const restriction = isAlways(met) ? plan.restriction : { ...plan.restriction, met };
  const changes = plan.changes.map((change, index) => ({ ...change, index }));
  if (context.origin !== undefined) await setOrigin(runner, context.origin);
  const update = async (batch: readonly Change[]): Promise<readonly ChangedRow[]> => {
    // The server limits only each single statement.
    if (performance.now() > deadline) throw tooManyStatements();
    return query<ChangedRow>(runner, compileBatch(job, batch, restriction));
  };
  await query(runner, compileLock(context, plan, restriction?.met));
  const texts = new Map<number, string>();
  let bytes = 0;
  for (const batch of batchesOf(changes)) {
    for (const row of await updateBatch(runner, batch, update, progress)) {
      const text = row[' row json'] ?? '';
      texts.set(row[' row number'], text);
      bytes += text.length;
    }
    if (bytes > MAX_RETURNED_BYTES) throw returnTooLarge();
  }
  const absent = changes.filter(({ index }) => !texts.has(index));
  const counts = { affected: texts.size, inserted: 0, key: null, ...checkMissing(plan, absent) };
  return returnsRows
    ? { ...counts, stored: `[${changes.flatMap(({ index }) => texts.get(index) ?? []).join(',')}]` }
    : counts;
}

/** Consecutive changes of the same shape share a statement, up to a limit. */
function batchesOf(changes: readonly Change[]): Change[][] {
  const batches: Change[][] = [];
  let shape: string | undefined;
  for (const change of changes) {
    const own = shapeOf(change.set);
    if (own !== shape || batches.at(-1)!.length === ROWS_PER_STATEMENT) batches.push([]);
    batches.at(-1)!.push(change);
    shape = own;
  }
  return batches;
}

/** Errors of the server or the connection. All others are errors of a row: its values, constraints, triggers. */
const SERVER_ERROR = /^(08|2[56]|40|42|5[3-8]|XX)/;

function isRowError(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !SERVER_ERROR.test(state) && !isTooLong(error);
}

/**
 * PostgreSQL does not report the row that fails, and changes rows in any order. So a batch that fails is repeated row
 * by row, which fails at the first such row, or succeeds if only the order was wrong.
 */
async function updateBatch(
  runner: Runner,
  batch: readonly Change[],
  update: (batch: readonly Change[]) => Promise<readonly ChangedRow[]>,
  progress: Progress,
): Promise<readonly ChangedRow[]> {
  if (batch.length > 1) {
    try {
      await query(runner, 'savepoint batch');
      const rows = await update(batch);
      await query(runner, 'release savepoint batch');
      return rows;
    } catch (error) {
      if (!isRowError(error)) throw error;
      await query(runner, 'rollback to savepoint batch');
    }
  }
  const rows: ChangedRow[] = [];
  for (const change of batch) {
    const changed = await update([change]).catch((error) => {
      if (isRowError(error)) progress.row = change.index;
      throw error;
    });
    rows.push(...changed);
  }
  return rows;
}

const ROW_NUMBER = { name: ' row number', type: builtIn('int4') };

/** The columns of the values that identify a row, beside the fields that it sets. */
function keyColumns(by: readonly Field[]) {
  return by.map(({ type }, index) => ({ name: ` key ${index}`, type }));
}

function hasSameKey({ collection, dialect }: WriteContext, by: readonly Field[]): string {
  const tests = by.map((field, index) => {
    const column = `${identifier(collection.name)}.${identifier(field.name)}`;
    return `${dialect.column?.(column, field) ?? column} = ${INPUT_ROWS}.${identifier(` key ${index}`)}`;
  });
  return tests.join(' and ');
}

/** Locks rows in key order, as every bulk update does, which prevents deadlocks. */
function compileLock(context: WriteContext, { by, changes }: UpdateEachPlan, met?: Predicate): Statement {
  const { collection, dialect } = context;
  const table = identifier(collection.name);
  const columns = keyColumns(by);
  const keys = changes.map(({ key }) => key);
  return buildStatement(dialect, (bind) => {
    const input = recordset(context, bind(rowsAsJson(columns, keys), TEXT), columns);
    const rule = met === undefined ? '' : ` where ${compilePredicate(met, scopeOf(dialect, bind, collection.name))}`;
    return `select 1 from ${table} join ${input} on ${hasSameKey(context, by)}${rule} order by ${qualifiedKey(collection)} for update of ${table}`;
  });
}

function compileBatch(
  { context, plan: { by }, returnsRows }: BulkUpdate,
  batch: readonly Change[],
  { met, changed }: Restriction = {},
): Statement {
  const { collection, dialect } = context;
  const table = identifier(collection.name);
  const [{ set: shape }] = batch as [Change];
  const setColumns = shape.map((each) => ({ name: each.field.name, type: boundValue(each).type }));
  const columns = [ROW_NUMBER, ...keyColumns(by), ...setColumns];
  const rows = batch.map(({ key, set, index }) => [index, ...key, ...set.map((each) => boundValue(each).value)]);
  return buildStatement(dialect, (bind) => {
    const input = recordset(context, bind(rowsAsJson(columns, rows), TEXT), columns);
    const set = shape.map((each) => {
      const column = identifier(each.field.name);
      return `${column} = ${assignedSql(collection, each, `${INPUT_ROWS}.${column}`, dialect)}`;
    });
    const scope = scopeOf(dialect, bind, collection.name);
    const rule = met === undefined ? '' : ` and (${compilePredicate(met, scope)})`;
    const allowed = changed === undefined ? '' : `, ${isAllowed(changed, scope)} as " is allowed"`;
    const update = `update ${table} set ${set.join(', ')} from ${input} where ${hasSameKey(context, by)}${rule} returning ${INPUT_ROWS}." row number"${allowed}`;
    if (!returnsRows) return update;
    const names = `" row number", ${changed === undefined ? '' : '" is allowed", '}" row json"`;
    return changedWithin(`${update}, row_to_json(${table}.*)::text as " row json"`, names, '" row json"');
  });
}

function tooManyStatements(): ApiError {
  return new ApiError('57014', 'canceling statement due to statement timeout', {
    nothingChanged: true,
    hint: 'Send fewer rows at a time, and those that set the same fields one behind the other; or raise --query-timeout.',
  });
}
