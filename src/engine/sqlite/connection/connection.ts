/**
 * A connection to a catalogue file. It alone prepares, resets and finalizes statements.
 *
 * An unfinished statement keeps its read transaction, even after `commit`, and later reads would see the same old data.
 * So statements run to their end here, cursors are tracked, and `settle` ends whatever is still open.
 */
import { type Changes, Database, type Statement as Prepared, SQLiteError } from 'bun:sqlite';
import { closeSync, existsSync, openSync } from 'node:fs';
import { PRIVATE_MODE } from '../../../base/files/output-file.ts';
import { MAX_LOG_BYTES, SQLITE_BUSY_MS, SQLITE_WRITE_WAIT_MS } from '../../../base/limits/engine.ts';
import type { Row, Value } from '../../../collection/value.ts';
import type { PlanStep } from '../../shared/query-plan.ts';
import type { Statement } from '../../sql/statement.ts';
import { defineFunctions } from '../functions/define.ts';
import { defineByteBudget } from '../read/byte-budget.ts';
import { defineHashGroups } from '../read/hash-groups.ts';
import { IN_MEMORY } from './database-files.ts';
import { defineGuard } from './deadline.ts';

/** The maximum number of prepared statements. SQL identifies a statement, since all values are bound. */
const MAX_PREPARED = 500;
/** The pause between attempts to get a lock of another process, held for a commit or an import. */
const MIN_RETRY_MS = 0.2;
const MAX_RETRY_MS = 1;

/** How long to wait for readers before truncating the log: longer than an idle snapshot is held. */
const EMPTY_LOG_MS = 500;

/** Does nothing, but fails while its own connection reads: https://www.sqlite.org/pragma.html#pragma_wal_checkpoint */
const NO_CHECKPOINT = 'pragma wal_checkpoint(noop)';

export interface ChunkSize {
  readonly rows: number;
  readonly length: number;
}

export interface ConnectionOptions {
  readonly readOnly?: boolean;
  /** Whether a missing file is created. */
  readonly create?: boolean;
  /** Runs before anything else is done with the file. */
  readonly prepare?: (db: Database) => void;
}

export class Connection {
  private readonly db: Database;
  private readonly prepared = new Map<string, Prepared>();
  private readonly cursors = new Set<Prepared>();

  constructor(
    readonly path: string,
    { readOnly = false, create = false, prepare }: ConnectionOptions = {},
  ) {
    if (create && path !== IN_MEMORY && !existsSync(path)) makeFile(path);
    this.db = new Database(path, { create, readwrite: true });
    try {
      this.db.run(`pragma busy_timeout = ${SQLITE_BUSY_MS}`);
      // Acknowledged writes survive kill -9 and power loss: every commit syncs the log.
      this.db.run('pragma synchronous = full');
      this.db.run('pragma foreign_keys = on');
      if (readOnly) this.db.run('pragma query_only = 1');
      // Truncates a log that grew during a long read.
      this.db.run(`pragma journal_size_limit = ${MAX_LOG_BYTES}`);
      defineFunctions(this.db);
      defineGuard(this.db);
      defineByteBudget(this.db);
      defineHashGroups(this.db);
      prepare?.(this.db);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  rows<T = Row>(statement: Statement | string): T[] {
    const { sql, params } = statementOf(statement);
    return this.prepare(sql).all(params) as T[];
  }

  /** Rows as lists. */
  values(statement: Statement | string): unknown[][] {
    const { sql, params } = statementOf(statement);
    return this.prepare(sql).values(params);
  }

  /** The first column of the first row as a number. */
  number(statement: Statement | string): number {
    return Number(this.values(statement)[0]?.[0] ?? 0);
  }

  run(statement: Statement | string): number {
    return this.insert(statement).changes;
  }

  /** The same, with the row number of the last inserted row, which is inexact beyond a safe integer. */
  insert(statement: Statement | string): Changes {
    const { sql, params } = statementOf(statement);
    return this.prepare(sql).run(params);
  }

  /** Runs SQL without keeping a prepared statement. Returns the number of changed rows. */
  execute(sql: string): number {
    return this.db.run(sql).changes;
  }

  /**
   * Reads in chunks on demand: a number of rows, or fewer if they are long. Each call has its own statement, since two
   * may run the same SQL.
   */
  *chunks({ sql, params }: Statement, { rows: most, length: longest }: ChunkSize): Generator<Row[], void> {
    const cursor: Prepared = this.db.prepare(sql);
    this.cursors.add(cursor);
    let rows: Row[] = [];
    let length = 0;
    try {
      for (const row of cursor.iterate(params as Value[]) as Iterable<Row>) {
        rows.push(row);
        length += lengthOf(row);
        if (rows.length < most && length < longest) continue;
        yield rows;
        rows = [];
        length = 0;
      }
      if (rows.length > 0) yield rows;
    } finally {
      this.cursors.delete(cursor);
      cursor.finalize();
    }
  }

  /** SQLite does not finish an `explain` even after its last row, so its statement is never kept. */
  explain({ sql, params }: Statement): PlanStep[] {
    using statement: Prepared = this.db.prepare(`explain query plan ${sql}`);
    return statement.all(params as Value[]) as PlanStep[];
  }

  get inTransaction(): boolean {
    return this.db.inTransaction;
  }

  begin(): void {
    this.run('begin');
  }

  /** For a writing connection: waits in `beginWriting` instead of in SQLite. */
  waitInTurn(): void {
    this.execute('pragma busy_timeout = 0');
  }

  /**
   * Begins a transaction with the write lock. Between commits of other processes the lock is free only for moments.
   * SQLite polls ten times a second and may miss them all.
   */
  beginWriting(milliseconds = SQLITE_WRITE_WAIT_MS): void {
    whileBusy(milliseconds, () => this.execute('begin immediate'));
  }

  commit(): void {
    this.run('commit');
  }

  /** Works in a transaction with the write lock, as `beginWriting` takes it. */
  writing<T>(work: () => T, milliseconds?: number): T {
    this.beginWriting(milliseconds);
    try {
      const result = work();
      this.commit();
      return result;
    } finally {
      this.rollback();
    }
  }

  /** SQLite itself rolls back after a full or failing disk. */
  rollback(): void {
    if (this.inTransaction) this.run('rollback');
  }

  /** Truncates the log, unless a reader uses an older state. Blocks writes until it is done. */
  emptyLog(): void {
    this.execute(`pragma busy_timeout = ${EMPTY_LOG_MS}`);
    this.run('pragma wal_checkpoint(truncate)');
    this.execute(`pragma busy_timeout = ${SQLITE_BUSY_MS}`);
  }

  /**
   * Ends every transaction and open statement, so that the next read starts fresh. Returns false if all statements had
   * to be finalized: a bug, which is repaired and counted.
   */
  settle(): boolean {
    for (const cursor of this.cursors) cursor.finalize();
    this.cursors.clear();
    this.rollback();
    if (!this.isReading()) return true;
    this.finalize();
    return false;
  }

  close(): void {
    for (const cursor of this.cursors) cursor.finalize();
    this.cursors.clear();
    this.finalize();
    this.db.close();
  }

  private isReading(): boolean {
    try {
      this.values(NO_CHECKPOINT);
      return false;
    } catch (error) {
      // The next read will report any other error.
      return error instanceof SQLiteError && error.code === 'SQLITE_LOCKED';
    }
  }

  private prepare(sql: string): Prepared {
    const cached = this.prepared.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.db.prepare(sql);
    this.prepared.set(sql, statement);
    if (this.prepared.size > MAX_PREPARED) {
      const [oldest, oldestStatement] = this.prepared.entries().next().value!;
      oldestStatement.finalize();
      this.prepared.delete(oldest);
    }
    return statement;
  }

  private finalize(): void {
    for (const statement of this.prepared.values()) statement.finalize();
    this.prepared.clear();
  }
}

const NO_PARAMS: Value[] = [];

function statementOf(given: Statement | string): { readonly sql: string; readonly params: Value[] } {
  return typeof given === 'string' ? { sql: given, params: NO_PARAMS } : (given as Statement & { params: Value[] });
}

/** Creates the file that a path, or a link, leads to. SQLite gives the files beside it the same mode. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', PRIVATE_MODE));
  } catch {
    // SQLite reports why the file cannot be created.
  }
}

function lengthOf(row: Row): number {
  let length = 0;
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'string') length += value.length;
  }
  return length;
}

/** Retries while another process blocks it: on a potential deadlock SQLite gives up at once. */
export function whileBusy<T>(milliseconds: number, work: () => T): T {
  const until = performance.now() + milliseconds;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      pause(MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS));
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY') === true;
}

const neverNotified = new Int32Array(new SharedArrayBuffer(4));

function pause(milliseconds: number): void {
  Atomics.wait(neverNotified, 0, 0, milliseconds);
}
