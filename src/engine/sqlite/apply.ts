/**
 * Writes that share one commit. Each job has its savepoint: one client's mistake rolls back only its own. The commit
 * syncs the disk once for all of them, and no outcome is told before it. Where none of them stores anything, all is rolled back.
 */
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { OWN_COLLECTIONS } from '../../collection/own.ts';
import { encodeRows } from '../../encode/encoding.ts';
import { Refusal } from '../../errors.ts';
import { MAX_EMBEDDING_SECONDS } from '../../limits.ts';
import { planWhole, WHOLE } from '../../plan/whole.ts';
import { outputOf } from '../compile/output.ts';
import { compileRead } from '../compile/read.ts';
import type { Statement } from '../compile/statement.ts';
import type { WriteResult } from '../engine.ts';
import { checkAffected, checkVersion, shorterDryRun } from '../terms.ts';
import { withinReturned } from './allowance.ts';
import { writeRows } from './change-rows.ts';
import type { Connection } from './connection.ts';
import { clearDeadline, limitPart, setDeadline } from './deadline.ts';
import type { DeclarationWatch } from './declaration-watch.ts';
import { sqliteDialect } from './dialect.ts';
import type { Job, Returning } from './jobs.ts';
import { asOutcome, type Outcome } from './outcome.ts';
import { brokenReference } from './references.ts';
import { isReferenceError, translateError } from './refusals.ts';
import { recallResult, rememberResult } from './retry-table.ts';

const SAVEPOINT: Statement = { sql: 'savepoint job', params: [] };
const ROLLBACK: Statement = { sql: 'rollback to job', params: [] };
const RELEASE: Statement = { sql: 'release job', params: [] };

export interface WriteBounds {
  /** How long answers to idempotency keys are kept. */
  readonly retryHours: number;
  /** How long one write may take while others wait for it. */
  readonly querySeconds: number;
  /** How long a dry run may take. */
  readonly dryRunSeconds: number;
  /** From when on no further write joins a commit. */
  readonly commitSeconds: number;
}

/** The outcomes of all jobs, or of the first of them, where the others would make these wait for too long. */
export function applyJobs(
  connection: Connection,
  catalogue: Catalogue,
  jobs: readonly Job[],
  bounds: WriteBounds,
  declared?: DeclarationWatch,
): Outcome[] {
  try {
    connection.beginWriting();
    declared?.check();
    const endsAt = performance.now() + bounds.commitSeconds * 1000;
    const outcomes: Outcome[] = [];
    for (const job of jobs) {
      if (outcomes.length > 0 && performance.now() >= endsAt) break;
      outcomes.push(applyJob(connection, catalogue, job, bounds));
    }
    if (outcomes.some(({ kind }, index) => kind === 'done' && !jobs[index]!.dryRun)) connection.commit();
    else connection.rollback();
    return outcomes;
  } catch (error) {
    connection.rollback();
    const outcome = asOutcome(translateError(error));
    return jobs.map(() => outcome);
  }
}

function applyJob(connection: Connection, catalogue: Catalogue, job: Job, bounds: WriteBounds): Outcome {
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
    // A full disk ends the whole transaction, with all that shares it.
    if (!connection.inTransaction || (translated instanceof Refusal && translated.code === 'CAT507')) throw error;
    connection.run(ROLLBACK);
    // As the rows were before it: SQLite does not say which reference it was.
    const refused = isReferenceError(error) ? brokenReference(connection, catalogue, job) : translated;
    connection.run(RELEASE);
    return asOutcome(refused);
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
    checkVersion(job.precondition, storedRow(connection, collection, job.precondition));
  }
  const { returning } = job;
  const removed = returning?.before === true ? representation(connection, returning) : undefined;
  const { changed, ...counts } = withinReturned(() => writeRows(connection, collection, job));
  const shown = removed ?? (returning === undefined ? {} : representation(connection, returning, changed));
  const result: WriteResult = { ...counts, ...shown };
  // After the rows: of two mistakes the one in them is told first, as PostgreSQL does, which makes them in one statement.
  checkAffected(job, counts.affected);
  if (job.retry !== undefined && !job.dryRun) rememberResult(connection, job.retry, result, retryHours);
  return result;
}

/** The whole row as JSON, as it is stored now; or what the caller sees of it. */
function storedRow(
  connection: Connection,
  collection: Collection,
  { key, seen }: NonNullable<Job['precondition']>,
): string | undefined {
  if (seen !== undefined) {
    const found = connection.rows(seen.statement);
    return found.length === 0 ? undefined : encodeRows(found, WHOLE, seen.form).slice(1, -1);
  }
  const plan = planWhole(collection, key);
  const output = outputOf(plan.columns, WHOLE, sqliteDialect);
  const rows = connection.rows(compileRead(plan, output, sqliteDialect));
  return rows.length === 0 ? undefined : encodeRows(rows, WHOLE, output.form).slice(1, -1);
}

const EMBED_LESS = 'Nothing was changed. Ask for Prefer: return=minimal, or embed less; read the rows after the write.';

/** `changed` are the rows that were changed, where they are not shown before that. */
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
