/**
 * Runs the jobs of one commit, each in a savepoint, so that an error rolls back only its own job. One sync of the disk
 * covers all of them, and no result is reported before it. If no job stores anything, everything is rolled back.
 */

import { ApiError } from '../../../base/errors.ts';
import { MAX_EMBEDDING_SECONDS } from '../../../base/limits/engine.ts';
import type { Catalogue, Collection } from '../../../collection/declaration.ts';
import { OWN_COLLECTIONS } from '../../../collection/own-collections.ts';
import { encodeRows } from '../../../encode/encoding.ts';
import { WHOLE_ROW_JSON } from '../../../plan/read/whole-row.ts';
import type { WriteResult } from '../../engine.ts';
import { checkAffected, checkVersion, shorterDryRun } from '../../shared/write-checks.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { clearDeadline, limitPart, setDeadline } from '../connection/deadline.ts';
import { type ThreadResult, toThreadResult } from '../connection/thread-result.ts';
import { isReferenceError, translateError } from '../errors.ts';
import { setOrigin } from '../history/request.ts';
import { withinReturned } from '../read/byte-budget.ts';
import type { DeclarationWatch } from '../schema/declaration-watch.ts';
import { brokenReference } from './broken-references.ts';
import { writeRows } from './change-rows.ts';
import { recallResult, rememberResult } from './idempotency-keys.ts';
import type { Job, Returning } from './jobs.ts';

const SAVEPOINT: Statement = { sql: 'savepoint job', params: [] };
const ROLLBACK: Statement = { sql: 'rollback to job', params: [] };
const RELEASE: Statement = { sql: 'release job', params: [] };

export interface WriteBounds {
  /** How long results are kept for idempotency keys. */
  readonly retryHours: number;
  /** The time limit of a write. */
  readonly querySeconds: number;
  /** How long a dry run may take. */
  readonly dryRunSeconds: number;
  /** The time after which no further write joins the commit. */
  readonly commitSeconds: number;
  /** How long changes are kept in the log; 0 for no log. */
  readonly historyDays: number;
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
    connection.beginWriting();
    declarationWatch?.check();
    const endsAt = performance.now() + bounds.commitSeconds * 1000;
    const hasOrigins = bounds.historyDays > 0 && jobs.some(({ origin }) => origin !== undefined);
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
  const collection = catalogue.collections.get(job.collection) ?? OWN_COLLECTIONS.get(job.collection)!;
  connection.run(SAVEPOINT);
  try {
    if (job.dryRun) setDeadline(bounds.dryRunSeconds * 1000, shorterDryRun(bounds.dryRunSeconds));
    else setDeadline(bounds.querySeconds * 1000);
    const result = runJob(connection, collection, job, bounds.retryHours);
    if (job.dryRun) connection.run(ROLLBACK);
    connection.run(RELEASE);
    return { kind: 'done', result };
  } catch (error) {
    const translated = translateError(error, { collection });
    // A full disk ends the whole transaction with all its jobs.
    if (!connection.inTransaction || (translated instanceof ApiError && translated.code === 'CAT507')) throw error;
    connection.run(ROLLBACK);
    // Runs on the rows as they were before, since SQLite does not say which reference failed.
    const rejection = isReferenceError(error) ? brokenReference(connection, catalogue, job) : translated;
    connection.run(RELEASE);
    return toThreadResult(rejection);
  } finally {
    clearDeadline();
  }
}

function runJob(connection: Connection, collection: Collection, job: Job, retryHours: number): WriteResult {
  if (job.retry !== undefined) {
    const earlier = recallResult(connection, job.retry, retryHours);
    if (earlier !== undefined) return { ...earlier, replayed: true };
  }
  if (job.precondition !== undefined) {
    checkVersion(job.precondition, visibleRow(connection, job.precondition));
  }
  const { returning } = job;
  const removed = returning?.before === true ? representation(connection, returning) : undefined;
  const { changed, ...counts } = withinReturned(() => writeRows(connection, collection, job));
  const shown = removed ?? (returning === undefined ? {} : representation(connection, returning, changed));
  const result: WriteResult = { ...counts, ...shown };
  // Checked after the rows, since PostgreSQL reports an error in a row first.
  checkAffected(job, counts.affected);
  if (job.retry !== undefined && !job.dryRun) rememberResult(connection, job.retry, result, retryHours);
  return result;
}

/** The part of the stored row that the caller sees, as JSON. */
function visibleRow(connection: Connection, { statement, form }: NonNullable<Job['precondition']>): string | undefined {
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
