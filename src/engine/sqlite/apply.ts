/**
 * Writes that share one commit. Each job has its savepoint: one client's mistake rolls back only its own. The commit
 * syncs the disk once for all of them, and no outcome is told before it.
 */
import type { Collection } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { encodeRows } from '../../encode/encoding.ts';
import { Refusal } from '../../errors.ts';
import { planWhole, WHOLE } from '../../plan/whole.ts';
import { outputOf } from '../compile/output.ts';
import { compileRead } from '../compile/read.ts';
import { identifier, type Statement } from '../compile/statement.ts';
import type { WriteResult } from '../engine.ts';
import { checkAffected, checkVersion, missingProduct } from '../terms.ts';
import { passKey } from './assigned-keys.ts';
import type { Connection } from './connection.ts';
import { clearDeadline, setDeadline } from './deadline.ts';
import { sqliteDialect } from './dialect.ts';
import type { Job, Returning } from './jobs.ts';
import { asOutcome, type Outcome } from './outcome.ts';
import { translateError } from './refusals.ts';
import { recallResult, rememberResult } from './retry-table.ts';

const SAVEPOINT: Statement = { sql: 'savepoint job', params: [] };
const ROLLBACK: Statement = { sql: 'rollback to job', params: [] };
const RELEASE: Statement = { sql: 'release job', params: [] };

/** How long answers to idempotency keys are kept, and how long one write may take while others wait for it. */
export interface WriteBounds {
  readonly retryHours: number;
  readonly querySeconds: number;
}

export function applyJobs(
  connection: Connection,
  collection: Collection,
  jobs: readonly Job[],
  bounds: WriteBounds,
): Outcome[] {
  try {
    connection.beginWriting();
    const outcomes = jobs.map((job) => applyJob(connection, collection, job, bounds));
    connection.commit();
    return outcomes;
  } catch (error) {
    connection.rollback();
    const outcome = asOutcome(translateError(error, collection, undefined));
    return jobs.map(() => outcome);
  }
}

function applyJob(connection: Connection, collection: Collection, job: Job, bounds: WriteBounds): Outcome {
  connection.run(SAVEPOINT);
  try {
    setDeadline(bounds.querySeconds * 1000);
    const result = runJob(connection, collection, job, bounds.retryHours);
    if (job.dryRun) connection.run(ROLLBACK);
    connection.run(RELEASE);
    return { kind: 'done', result };
  } catch (error) {
    const translated = error instanceof Refusal ? error : translateError(error, collection, undefined);
    // A full disk ends the whole transaction, with all that shares it.
    if (!connection.inTransaction || (translated instanceof Refusal && translated.code === 'CAT507')) throw error;
    connection.run(ROLLBACK);
    connection.run(RELEASE);
    return asOutcome(translated);
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
    checkVersion(job.precondition, storedRow(connection, collection, job.precondition.key));
  }
  const written = write(connection, collection, job);
  const { changed, ...counts } = written;
  const result: WriteResult =
    job.returning === undefined ? counts : { ...counts, body: representation(connection, job.returning, changed) };
  // After the rows: of two mistakes the one in them is told first, as PostgreSQL does, which makes them in one statement.
  checkAffected(job, written.affected);
  if (job.retry !== undefined && !job.dryRun) rememberResult(connection, job.retry, result);
  return result;
}

interface Written {
  readonly affected: number;
  readonly inserted: number;
  readonly key?: Value;
  /** The changed rows as JSON lists, where the answer needs them. */
  readonly changed: readonly string[];
}

function write(connection: Connection, collection: Collection, job: Job): Written {
  switch (job.kind) {
    case 'insert':
      return insertRows(connection, collection, job);
    case 'change':
      try {
        const { affected, changed } = change(connection, job.statement, job.returning !== undefined);
        // A key that came by an update counts as given: SQLite's own bookkeeping sees only inserts.
        if (affected > 0 && job.newKey !== undefined) passKey(connection, collection, job.newKey);
        return { affected, inserted: 0, changed };
      } catch (error) {
        throw translateError(error, collection, job.newKey);
      }
    case 'change-each': {
      const changed: string[] = [];
      for (const [index, { key, statement }] of job.changes.entries()) {
        const each = changeOne(connection, collection, key, statement, job.returning !== undefined, index);
        changed.push(...each);
      }
      return { affected: job.changes.length, inserted: 0, changed };
    }
  }
}

function insertRows(connection: Connection, collection: Collection, job: Extract<Job, { kind: 'insert' }>): Written {
  const exists = existsSql(collection);
  const keyPlace = collection.fields.findIndex((field) => field.name === collection.key.name);
  const chosen = job.rows.flatMap((row) => row[keyPlace] ?? []);
  // A row that comes earlier must not be assigned what a later one chooses: that would count as meeting an existing one.
  if (chosen.length > 0 && chosen.length < job.rows.length) passKey(connection, collection, largest(chosen));
  const changed: string[] = [];
  let affected = 0;
  let inserted = 0;
  let key: Value | undefined;
  for (const [index, row] of job.rows.entries()) {
    const given = row[keyPlace] ?? null;
    const known = job.merges && given !== null && connection.number({ sql: exists, params: [given] }) > 0;
    const insert = { sql: job.sql, params: row };
    try {
      if (job.returning === undefined) {
        const { changes, lastInsertRowid } = connection.run(insert);
        affected += changes;
        if (changes > 0) key = given ?? lastInsertRowid;
        if (changes > 0 && !known) inserted++;
      } else {
        const [written] = connection.values(insert);
        if (written === undefined) continue;
        affected++;
        if (!known) inserted++;
        key = given ?? (JSON.parse(written[0] as string) as Value[])[keyPlace];
        changed.push(written[0] as string);
      }
    } catch (error) {
      throw atRow(translateError(error, collection, given ?? undefined), job.rows.length > 1 ? index : undefined);
    }
  }
  return { affected, inserted, changed, ...(affected === 1 && key !== undefined ? { key } : {}) };
}

function largest(keys: readonly Value[]): number {
  return keys.reduce<number>((most, key) => Math.max(most, Number(key)), 0);
}

function change(
  connection: Connection,
  statement: Statement,
  wantRows: boolean,
): Pick<Written, 'affected' | 'changed'> {
  if (!wantRows) return { affected: connection.run(statement).changes, changed: [] };
  const changed = connection.values(statement);
  return { affected: changed.length, changed: changed.map(([row]) => row as string) };
}

function changeOne(
  connection: Connection,
  collection: Collection,
  key: Value,
  statement: Statement,
  wantRows: boolean,
  index: number,
): readonly string[] {
  // An object with nothing but its key changes nothing, and must name a product all the same.
  if (connection.number({ sql: existsSql(collection), params: [key] }) === 0) {
    throw missingProduct(collection, key, index);
  }
  try {
    return change(connection, statement, wantRows).changed;
  } catch (error) {
    throw atRow(translateError(error, collection, key), index);
  }
}

/** The whole row as JSON, as it is stored now. */
function storedRow(connection: Connection, collection: Collection, key: Value): string | undefined {
  const plan = planWhole(collection, key);
  const output = outputOf(plan.columns, WHOLE, sqliteDialect);
  const rows = connection.rows(compileRead(plan, output, sqliteDialect));
  return rows.length === 0 ? undefined : encodeRows(rows, WHOLE, output.form).slice(1, -1);
}

function representation(connection: Connection, returning: Returning, changed: readonly string[]): string {
  const { statement, encoding, form } = returning;
  const [, ...params] = statement.params;
  const rows = connection.rows({ sql: statement.sql, params: [`[${changed.join(',')}]`, ...params] });
  return encodeRows(rows, encoding, form);
}

function existsSql(collection: Collection): string {
  return `select 1 from ${identifier(collection.name)} where ${identifier(collection.key.name)} = ?`;
}

/** The same refusal, saying which row of the body it is about. */
function atRow(error: unknown, index: number | undefined): unknown {
  if (!(error instanceof Refusal) || index === undefined) return error;
  const { code, message, details, hint, headers } = error;
  return new Refusal(code, message, {
    details: `row ${index + 1}: ${details ?? message}`,
    hint: hint ?? undefined,
    headers,
  });
}
