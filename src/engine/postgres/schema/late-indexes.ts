/**
 * Creates indexes on existing tables after the migration, outside a transaction and without blocking writes. Indexes
 * only make reads faster: a failure is reported and retried at the next start.
 */
import type { SQL } from 'bun';
import { MIGRATION_WAIT_SECONDS } from '../../../base/limits/engine.ts';
import type { Change, ChangeOf, Comparison } from '../../migration/changes.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { ADVISORY_LOCKS, type Notice, ownSearchPath, query, type Runner, reserve } from '../driver.ts';
import { sqlState } from '../errors.ts';
import { indexSql } from './schema.ts';

type AddIndex = ChangeOf<'add-index'>;

/** Whether a change can wait until the others are committed. */
function isLate(change: Change, { pairs }: Comparison): change is AddIndex {
  return change.kind === 'add-index' && pairs.get(change.collection.name)?.before !== undefined;
}

export function hasLate(comparison: Comparison): boolean {
  return comparison.changes.some((change) => isLate(change, comparison));
}

export function withoutLate(comparison: Comparison): Comparison {
  return { ...comparison, changes: comparison.changes.filter((change) => !isLate(change, comparison)) };
}

/** The created indexes; none if another instance creates them. */
export async function makeIndexes(
  pool: SQL,
  schema: string,
  compareAgain: (runner: Runner) => Promise<Comparison>,
  notice: Notice,
): Promise<AddIndex[]> {
  const connection = await reserve(pool);
  const run = (sql: string) => connection.unsafe(sql);
  try {
    const [lock] = await run(`select pg_try_advisory_lock(${ADVISORY_LOCKS.lateIndexes}) as taken`);
    if (lock.taken !== true) return [];
    await run(`set search_path to ${ownSearchPath(schema)}`);
    const comparison = await compareAgain(connection);
    const missing = comparison.changes.filter((change) => isLate(change, comparison)) as AddIndex[];
    await run('set statement_timeout = 0');
    await run(`set lock_timeout = '${MIGRATION_WAIT_SECONDS}s'`);
    const made: AddIndex[] = [];
    for (const change of missing) if (await makeIndex(connection, change, notice)) made.push(change);
    await run('reset search_path');
    await run('reset statement_timeout');
    await run('reset lock_timeout');
    await run(`select pg_advisory_unlock(${ADVISORY_LOCKS.lateIndexes})`);
    return made;
  } finally {
    await connection.release().catch(() => undefined);
  }
}

async function makeIndex(runner: Runner, { collection, index }: AddIndex, notice: Notice): Promise<boolean> {
  const run = (sql: string) => query<{ valid: boolean }>(runner, sql);
  const name = identifier(index.name);
  try {
    const [found] = await run(
      `select indisvalid as valid from pg_index where indexrelid = to_regclass(${quoteText(name)})`,
    );
    if (found?.valid === true) return false;
    notice('info', `creating index ${index.name}; reads and writes continue`);
    // An index left by an interrupted attempt is invalid.
    if (found?.valid === false) await run(`drop index concurrently if exists ${name}`);
    await run(indexSql(collection, index, 'create index concurrently'));
    return true;
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    const reason = (error as Error).message;
    notice('warn', `could not create index ${index.name}: ${reason}; the next start tries again`);
    return false;
  }
}
