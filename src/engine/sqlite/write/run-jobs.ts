/**
 * Runs the jobs of one commit, each in a savepoint, so that an error rolls back only its own job with all its steps.
 * One sync of the disk covers all of them, and no result is reported before it. If no job stores anything, everything
 * is rolled back.
 */

import { ApiError, withRequest } from '../../../base/errors.ts';
import { MAX_EMBEDDING_SECONDS } from '../../../base/limits/engine.ts';
import type { Catalogue, Collection } from '../../../collection/declaration.ts';
import { OWN_COLLECTIONS } from '../../../collection/own-collections.ts';
import { encodeRows } from '../../../encode/encoding.ts';
import { WHOLE_ROW_JSON } from '../../../plan/read/whole-row.ts';
import type { WriteResult } from '../../engine.ts';
import { EarlierValues } from '../../shared/earlier-values.ts';
import { checkAffected, checkReturned, checkVersion, shorterDryRun } from '../../shared/write-checks.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { clearDeadline, limitPart, setDeadline } from '../connection/deadline.ts';
import { type ThreadResult, toThreadResult } from '../connection/thread-result.ts';
import { BrokenReference, isReferenceError, translateError } from '../errors.ts';
import { setOrigin } from '../history/request.ts';
import { withinReturned } from '../read/byte-budget.ts';
import type { DeclarationWatch } from '../schema/declaration-watch.ts';
import { brokenReference } from './broken-references.ts';
import { writeRows } from './change-rows.ts';
import { recallResults, rememberResults } from './idempotency-keys.ts';
import type { CompiledPrecondition, Job, Returning, Step } from './jobs.ts';
import { resolveStep } from './resolve-step.ts';

const SAVEPOINT: Statement = { sql: 'savepoint job', params: [] };
const ROLLBACK: Statement = { sql: 'rollback to job', params: [] };
const RELEASE: Statement = { sql: 'release job', params: [] };
const SAVEPOINT_STEP: Statement = { sql: 'savepoint step', params: [] };
const ROLLBACK_STEP: Statement = { sql: 'rollback to step', params: [] };
const RELEASE_STEP: Statement = { sql: 'release step', params: [] };

export interface WriteBounds {
  /** How long results are kept for idempotency keys. */
  readonly retryHours: number;
  /** The time limit of a write. */
  readonly querySeconds: number;
  /** How long a dry run may take. */
  readonly dryRunSeconds: number;
  /** How long a commit waits for another process. */
  readonly queueSeconds: number;
  /** The time after which no further write joins the commit. */
  readonly commitSeconds: number;
  readonly isLogged: boolean;
  /** How long changes are kept in the log; undefined if this process removes none. */
  readonly historyDays: number | undefined;
}

/** The results of all jobs, or of the first ones if the others would delay them too long. */
export function applyJobs(
  connection: Connection,
  catalogue: Catalogue,
  jobs: readonly Job[],
  bounds: WriteBounds,
  declarationWatch?: DeclarationWatch,
): ThreadResult[] {
  try {
    connection.beginWriting(bounds.queueSeconds * 1000);
    declarationWatch?.check();
    const endsAt = performance.now() + bounds.commitSeconds * 1000;
    const hasOrigins = bounds.isLogged && jobs.some(({ origin }) => origin !== undefined);
    const outcomes: ThreadResult[] = [];
    for (const job of jobs) {
      if (outcomes.length > 0 && performance.now() >= endsAt) break;
      if (hasOrigins) setOrigin(connection, job.origin);
      outcomes.push(applyJob(connection, catalogue, job, bounds));
    }
    if (outcomes.some(({ kind }, index) => kind === 'done' && !jobs[index]!.dryRun)) {
      if (hasOrigins) setOrigin(connection, undefined);
      connection.commit();
    } else connection.rollback();
    return outcomes;
  } catch (error) {
    connection.rollback();
    const outcome = toThreadResult(translateError(error));
    return jobs.map(() => outcome);
  }
}

function applyJob(connection: Connection, catalogue: Catalogue, job: Job, bounds: WriteBounds): ThreadResult {
  const { retry, steps, dryRun } = job;
  const results: WriteResult[] = [];
  const values = new EarlierValues(results);
  let step = steps[0]!;
  connection.run(SAVEPOINT);
  try {
    if (dryRun) setDeadline(bounds.dryRunSeconds * 1000, shorterDryRun(bounds.dryRunSeconds));
    else setDeadline(bounds.querySeconds * 1000);
    const earlier = retry && recallResults(connection, retry, bounds.retryHours);
    if (earlier === undefined) {
      for (const each of steps) {
        checkReturned(results);
        step = each.isDependent ? resolveStep(each, collectionOf(catalogue, each), values) : each;
        results.push(applyStep(connection, catalogue, step, results.length));
      }
      checkReturned(results);
      if (retry !== undefined && !dryRun) rememberResults(connection, retry, results, bounds.retryHours);
    }
    if (dryRun) connection.run(ROLLBACK);
    connection.run(RELEASE);
    return { kind: 'done', results: earlier ?? results };
  } catch (error) {
    const translated = translateError(error, { collection: collectionOf(catalogue, step) });
    // A full disk ends the whole transaction with all its jobs.
    if (!connection.inTransaction || (translated instanceof ApiError && translated.code === 'CAT507')) throw error;
    const index = results.length;
    const isReference = isReferenceError(error);
    const failed = error instanceof BrokenReference ? error.index : undefined;
    connection.run(isReference && index > 0 ? ROLLBACK_STEP : ROLLBACK);
    // Runs on the rows as they were before the step, since SQLite does not say which reference failed.
    const rejection = isReference ? brokenReference(connection, catalogue, step, failed) : translated;
    if (isReference && index > 0) connection.run(ROLLBACK);
    connection.run(RELEASE);
    return toThreadResult(steps.length > 1 && index < steps.length ? withRequest(rejection, index) : rejection);
  } finally {
    clearDeadline();
  }
}

function collectionOf({ collections }: Catalogue, { collection }: Step): Collection {
  return collections.get(collection) ?? OWN_COLLECTIONS.get(collection)!;
}

/** The savepoint of the job is also that of its first step. */
function applyStep(connection: Connection, catalogue: Catalogue, step: Step, index: number): WriteResult {
  const collection = collectionOf(catalogue, step);
  if (index === 0) return runStep(connection, collection, step);
  connection.run(SAVEPOINT_STEP);
  const result = runStep(connection, collection, step);
  connection.run(RELEASE_STEP);
  return result;
}

function runStep(connection: Connection, collection: Collection, step: Step): WriteResult {
  for (const precondition of step.preconditions ?? []) {
    checkVersion(precondition, visibleRow(connection, precondition));
  }
  const { returning } = step;
  const removed = returning?.before === true ? representation(connection, returning) : undefined;
  const { changed, ...counts } = withinReturned(() => writeRows(connection, collection, step));
  const shown = removed ?? (returning === undefined ? {} : representation(connection, returning, changed));
  // Checked after the rows, since PostgreSQL reports an error in a row first.
  checkAffected(step, counts.affected);
  return { ...counts, ...shown };
}

/** The part of the stored row that the caller sees, as JSON. */
function visibleRow(connection: Connection, { statement, form }: CompiledPrecondition): string | undefined {
  const rows = connection.rows(statement);
  return rows.length === 0 ? undefined : encodeRows(rows, WHOLE_ROW_JSON, form).slice(1, -1);
}

const EMBED_LESS = 'Nothing was changed. Ask for Prefer: return=minimal, or embed less; read the rows after the write.';

/** `changed` are the changed rows, unless they are read before the change. */
function representation(
  connection: Connection,
  { statement, encoding, form, reachesOthers }: Returning,
  changed?: readonly string[],
): Pick<WriteResult, 'body' | 'shown'> {
  const [, ...others] = statement.params;
  const params = changed === undefined ? statement.params : [`[${changed.join(',')}]`, ...others];
  const read = () => withinReturned(() => connection.rows({ sql: statement.sql, params }));
  const rows = reachesOthers ? limitPart(MAX_EMBEDDING_SECONDS * 1000, EMBED_LESS, read) : read();
  return { body: encodeRows(rows, encoding, form), shown: rows.length };
}
