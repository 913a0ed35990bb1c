/** One connection to a catalogue file, with its settings and its prepared statements. */
import { Database, type Statement as Prepared, SQLiteError } from 'bun:sqlite';
import type { Row, Value } from '../../collection/value.ts';
import { MAX_LOG_BYTES, SQLITE_BUSY_MS, SQLITE_WRITE_WAIT_MS } from '../../limits.ts';
import type { Statement } from '../compile/statement.ts';
import { defineGuard } from './deadline.ts';
import { defineFunctions } from './functions.ts';

/** Statements kept prepared; a query's shape is its SQL, since all values are bound. */
const MAX_PREPARED = 500;
/** Between two looks at a lock that another process has; it has it for as long as a commit takes, or an import. */
const SHORTEST_PAUSE_MS = 0.2;
const LONGEST_PAUSE_MS = 1;

export class Connection {
  readonly db: Database;
  private readonly prepared = new Map<string, Prepared>();

  constructor(path: string, { readOnly = false } = {}) {
    this.db = new Database(path, { create: !readOnly, readwrite: true });
    try {
      this.db.run(`pragma busy_timeout = ${SQLITE_BUSY_MS}`);
      // An acknowledged write survives kill -9 and power loss: the log is synced at every commit.
      this.db.run('pragma synchronous = full');
      if (readOnly) this.db.run('pragma query_only = 1');
      // A log that a long read let grow is cut back to this once it is emptied.
      this.db.run(`pragma journal_size_limit = ${MAX_LOG_BYTES}`);
      defineFunctions(this.db);
      defineGuard(this.db);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** For one that writes: it does not leave the waiting to SQLite, but waits in `beginWriting`. */
  waitInTurn(): void {
    this.db.run('pragma busy_timeout = 0');
  }

  /**
   * Begins a transaction that has the write lock. Among processes that commit one thing after the other the lock is free
   * for moments only: SQLite itself, which looks ten times a second, may find it taken each time.
   */
  beginWriting(): void {
    whileBusy(SQLITE_WRITE_WAIT_MS, () => this.db.run('begin immediate'));
  }

  rows(statement: Statement): Row[] {
    return this.prepare(statement.sql).all(statement.params as Value[]) as Row[];
  }

  /** The number in the first column of the first row. */
  number(statement: Statement): number {
    return Number(this.prepare(statement.sql).values(...(statement.params as Value[]))[0]?.[0] ?? 0);
  }

  run(statement: Statement): { changes: number; lastInsertRowid: number } {
    const { changes, lastInsertRowid } = this.prepare(statement.sql).run(...(statement.params as Value[]));
    return { changes, lastInsertRowid: Number(lastInsertRowid) };
  }

  prepare(sql: string): Prepared {
    const known = this.prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.db.prepare(sql);
    this.prepared.set(sql, statement);
    if (this.prepared.size > MAX_PREPARED) {
      const [oldest, oldestStatement] = this.prepared.entries().next().value!;
      oldestStatement.finalize();
      this.prepared.delete(oldest);
    }
    return statement;
  }

  close(): void {
    for (const statement of this.prepared.values()) statement.finalize();
    this.prepared.clear();
    this.db.close();
  }
}

/** Does it again as long as another process is in its way: where two wait for each other, SQLite gives up at once. */
export function whileBusy<T>(milliseconds: number, work: () => T): T {
  const until = performance.now() + milliseconds;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      pause(SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY') === true;
}

const neverTold = new Int32Array(new SharedArrayBuffer(4));

function pause(milliseconds: number): void {
  Atomics.wait(neverTold, 0, 0, milliseconds);
}
