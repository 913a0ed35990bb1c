/**
 * Applies the lists of writes of one commit, each in a savepoint, so that an error rolls back only its own list. One
 * sync of the disk covers all of them, and no result is reported before it. If no list stores anything, everything is
 * rolled back.
 */
import { ApiError, withRequest } from '../../../base/errors.ts';
import type { Catalogue, Collection } from '../../../collection/declaration.ts';
import { type Encoding, encodeRows } from '../../../encode/encoding.ts';
import { NO_ORDER } from '../../../plan/read/order.ts';
import { planVisibleRow, WHOLE_ROW_JSON } from '../../../plan/read/read.ts';
import { NO_COLUMNS } from '../../../plan/read/shape.ts';
import { ALWAYS } from '../../../plan/types.ts';
import type { Precondition, Retry, WritePlan } from '../../../plan/write-plan.ts';
import type { WriteResult } from '../../engine.ts';
import { checkCircle, circleChecks, type RowAbove } from '../../shared/circles.ts';
import { EarlierValues, resolvePlan } from '../../shared/earlier-values.ts';
import { lateRules, withoutLateRules } from '../../shared/plan-keys.ts';
import { replayedResults, storedAnswer } from '../../shared/stored-answers.ts';
import { type ThreadResult, toThreadResult } from '../../shared/thread.ts';
import {
  checkAffected,
  checkReturned,
  checkVersion,
  idempotencyKeyReused,
  shorterDryRun,
} from '../../shared/write-checks.ts';
import { outputOf } from '../../sql/output.ts';
import { compileRead } from '../../sql/read.ts';
import type { Connection } from '../connection/connection.ts';
import { clearDeadline, type Interruption, setDeadline } from '../connection/deadline.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { BrokenReference, isReferenceError, translateError } from '../errors.ts';
import { lastRequest, setOrigin } from '../history/log.ts';
import { withinReturned } from '../read/byte-budget.ts';
import type { DeclarationWatch } from '../schema/declaration-watch.ts';
import { RETRY_TABLE } from '../schema/schema.ts';
import { brokenReference } from './broken-references.ts';
import { deleteRows, updateEach, updateRows } from './change-rows.ts';
import { insertRows } from './insert-rows.ts';
import { checkLateRules } from './insert-rules.ts';
import { compileReturned, readReturned, type Written } from './returned-rows.ts';
import type { WriteList } from './writer.ts';

export interface WriteBounds {
  readonly retryHours: number;
  readonly querySeconds: number;
  readonly dryRunSeconds: number;
  readonly interruption?: Interruption;
  /** How long a commit waits for another process. */
  readonly queueSeconds: number;
  /** The time after which no further write joins the commit. */
  readonly commitSeconds: number;
  readonly isLogged: boolean;
  /** How long changes are kept in the log; undefined if this process removes none. */
  readonly historyDays: number | undefined;
}

/** The results of all lists, or of the first ones if the others would delay them too long. Throws if none is stored. */
export function applyWrites(
  connection: Connection,
  catalogue: Catalogue,
  lists: readonly WriteList[],
  bounds: WriteBounds,
  declarationWatch?: DeclarationWatch,
): ThreadResult[] {
  try {
    connection.beginWriting(bounds.queueSeconds * 1000);
    declarationWatch?.check();
    const endsAt = performance.now() + bounds.commitSeconds * 1000;
    const hasOrigins = bounds.isLogged && lists.some(({ origin = {} }) => Object.keys(origin).length > 0);
    const outcomes: ThreadResult[] = [];
    const requests = new Set(hasOrigins ? [lastRequest(connection)] : []);
    for (const list of lists) {
      if (outcomes.length > 0 && performance.now() >= endsAt) break;
      const request = list.origin?.request;
      if (hasOrigins) setOrigin(connection, list.origin, !requests.has(request));
      requests.add(request);
      outcomes.push(applyList(connection, catalogue, list, bounds));
    }
    if (outcomes.some(({ kind }, index) => kind === 'done' && !lists[index]!.dryRun)) {
      if (hasOrigins) setOrigin(connection, undefined);
      connection.commit();
    }
    return outcomes;
  } finally {
    connection.rollback();
  }
}

function applyList(connection: Connection, catalogue: Catalogue, list: WriteList, bounds: WriteBounds): ThreadResult {
  const { retry, writes, dryRun } = list;
  const results: WriteResult[] = [];
  const values = new EarlierValues(results);
  let { plan } = writes[0]!;
  connection.run('savepoint list');
  try {
    const { dryRunSeconds, interruption } = bounds;
    if (dryRun) setDeadline(dryRunSeconds * 1000, shorterDryRun(dryRunSeconds), interruption);
    else setDeadline(bounds.querySeconds * 1000);
    const earlier = retry && recallResults(connection, retry, bounds.retryHours);
    if (earlier === undefined) {
      for (const write of writes) {
        checkReturned(results);
        plan = write.isDependent ? resolvePlan(write.plan, values) : write.plan;
        results.push(applyWrite(connection, plan, write.encoding, results.length));
      }
      checkReturned(results);
      if (retry !== undefined && !dryRun) rememberResults(connection, retry, results, bounds.retryHours);
    }
    if (dryRun) connection.run('rollback to list');
    connection.run('release list');
    return { kind: 'done', results: earlier ?? results };
  } catch (error) {
    const translated = translateError(error, { collection: plan.into });
    // A full disk ends the whole transaction with all its writes.
    if (!connection.inTransaction || (translated instanceof ApiError && translated.code === 'CAT507')) throw error;
    const index = results.length;
    const isReference = isReferenceError(error);
    const failed = error instanceof BrokenReference ? error.index : undefined;
    connection.run(isReference && index > 0 ? 'rollback to write' : 'rollback to list');
    // Runs on the rows as they were before the write, since SQLite does not say which reference failed.
    const rejection = isReference ? brokenReference(connection, catalogue, plan, failed) : translated;
    if (isReference && index > 0) connection.run('rollback to list');
    connection.run('release list');
    return toThreadResult(writes.length > 1 && index < writes.length ? withRequest(rejection, index) : rejection);
  } finally {
    clearDeadline();
  }
}

/** The savepoint of the list is also that of its first write. */
function applyWrite(connection: Connection, plan: WritePlan, encoding: Encoding, index: number): WriteResult {
  if (index === 0) return runWrite(connection, plan, encoding);
  connection.run('savepoint write');
  const result = runWrite(connection, plan, encoding);
  connection.run('release write');
  return result;
}

const NO_ROWS = { columns: NO_COLUMNS, order: NO_ORDER, where: ALWAYS };

function runWrite(connection: Connection, plan: WritePlan, encoding: Encoding): WriteResult {
  for (const precondition of plan.preconditions ?? []) {
    checkVersion(precondition, visibleRow(connection, plan.into, precondition));
  }
  const returned = compileReturned(plan, encoding);
  const removed = returned?.isBefore === true ? readReturned(connection, returned) : undefined;
  const late = lateRules(plan);
  const checks = circleChecks(plan, guardedDialect).map((check) => {
    return { ...check, roots: check.before && connection.rows<RowAbove>(check.before) };
  });
  const { changed, areNew, ...counts } = withinReturned(() =>
    writeRows(
      connection,
      late === undefined ? plan : { ...withoutLateRules(plan), returning: plan.returning ?? NO_ROWS },
    ),
  );
  if (late !== undefined) checkLateRules(connection, plan, late, changed, areNew);
  for (const { reference, after, roots } of checks) {
    checkCircle(plan.into, reference, connection.rows<RowAbove>(after), roots, plan);
  }
  const shown = removed ?? (returned && readReturned(connection, returned, changed));
  // Checked after the rows, since PostgreSQL reports an error in a row first.
  checkAffected(plan, counts.affected);
  return { ...counts, ...shown };
}

function writeRows(connection: Connection, plan: WritePlan): Written {
  switch (plan.kind) {
    case 'insert':
      return insertRows(connection, plan);
    case 'update':
      return updateRows(connection, plan);
    case 'update-each':
      return updateEach(connection, plan);
    case 'delete':
      return deleteRows(connection, plan);
  }
}

/** The part of the stored row that the caller sees, as JSON. */
function visibleRow(connection: Connection, into: Collection, precondition: Precondition): string | undefined {
  const plan = planVisibleRow(into, precondition);
  const output = outputOf(plan.columns, WHOLE_ROW_JSON, sqliteDialect);
  const rows = connection.rows(compileRead(plan, output, sqliteDialect));
  return rows.length === 0 ? undefined : encodeRows(rows, WHOLE_ROW_JSON, output.form).slice(1, -1);
}

export function recallResults(connection: Connection, retry: Retry, hours: number): readonly WriteResult[] | undefined {
  const oldest = Date.now() - hours * 3_600_000;
  connection.run({ sql: `delete from ${RETRY_TABLE} where created_at < ?`, params: [oldest] });
  const [kept] = connection.rows({
    sql: `select fingerprint, result from ${RETRY_TABLE} where key = ?`,
    params: [retry.key],
  });
  if (kept === undefined) return undefined;
  if (kept.fingerprint === retry.fingerprint) return replayedResults(kept.result as string);
  throw idempotencyKeyReused();
}

export function rememberResults(
  connection: Connection,
  retry: Retry,
  results: readonly WriteResult[],
  hours: number,
): void {
  connection.run({
    sql: `insert into ${RETRY_TABLE} (key, fingerprint, result, created_at) values (?, ?, ?, ?)`,
    params: [retry.key, retry.fingerprint, storedAnswer(connection, retry, results, hours), Date.now()],
  });
}
