/** The connections to one server. Cheap reads share connections; slow work runs on dedicated ones, within limits. */
import type { ReservedSQL, SQL } from 'bun';
import type { Value } from '../../../collection/value.ts';
import type { DatabaseSession } from '../../engine.ts';
import { type Runner, reserve } from '../driver.ts';
import { connectionLimits, type Kind, takeSlots } from './connection-limits.ts';
import { InFlight } from './in-flight.ts';

/**
 * Bun's driver keeps the buffers of a connection as large as its longest message until the connection closes: ten
 * connections that carried 12 MB each way hold 250 MB. So a connection that carried a long message closes after its
 * work, and the pool replaces it.
 */
const LONG_MESSAGE = 1024 * 1024;

export interface PoolOptions {
  readonly querySeconds: number;
  /** Runs when a statement on a shared connection passes its deadline. The driver does not name the connection. */
  readonly onUnresponsive: () => void;
  /** Whether connections stay open after a long message. */
  readonly keepsConnections?: boolean;
}

export class Pool implements Runner {
  constructor(
    /** The driver's pool. Its statements have no deadline. */
    readonly sql: SQL,
    readonly options: PoolOptions,
    /** Every transaction begins with it. */
    readonly session?: DatabaseSession,
    readonly inFlight = new InFlight(options.querySeconds),
    private readonly slots = connectionLimits(sql.options.max ?? 10),
  ) {}

  /** The same connections, with every transaction in a session. */
  as(session: DatabaseSession): Pool {
    return new Pool(this.sql, this.options, session, this.inFlight, this.slots);
  }

  /** Runs a statement on a shared connection, or in a transaction of the session. */
  unsafe<T>(text: string, values?: Value[]): Promise<T> {
    if (this.session !== undefined) return this.dedicated('read', (connection) => connection.unsafe<T>(text, values));
    return this.onShared(text, values);
  }

  /** Runs a statement on a shared connection, without the session. */
  onShared<T>(text: string, values?: Value[]): Promise<T> {
    return this.inFlight.track(this.sql.unsafe<T>(text, values), 'shared', this.options.onUnresponsive);
  }

  /** Reserves a dedicated connection. The caller releases or closes it. */
  async reserve(kind: Kind): Promise<Connection> {
    const giveBack = await takeSlots(this.slots[kind], kind);
    try {
      return new Connection(await reserve(this.sql), this, giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Whether work of this kind waits for a connection. */
  isAwaited(kind: Kind): boolean {
    return this.slots[kind].some((each) => each.isAwaited);
  }

  async dedicated<T>(kind: Kind, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.reserve(kind);
    try {
      if (this.session === undefined) return await work(connection);
      await connection.unsafe(this.begin('begin read only'));
      const result = await work(connection);
      await connection.unsafe('commit');
      return result;
    } catch (error) {
      if (this.session !== undefined) await connection.unsafe('rollback').catch(() => connection.close());
      throw error;
    } finally {
      await connection.release();
    }
  }

  /** `begin`, and for a session the statements that every transaction of it starts with, in one round trip. */
  begin(begin: string): string {
    if (this.session === undefined) return begin;
    const { role, preRequest } = this.session;
    const { default_transaction_isolation: isolation, ...settings } = this.session.settings;
    // The role last: it may not be allowed to change all of the others.
    const calls = [...Object.entries(settings), ['role', role] as const].map(
      ([name, value]) => `set_config(${escaped(name)}, ${escaped(value)}, true)`,
    );
    const level = isolation === undefined || begin.includes('isolation') ? '' : ` isolation level ${isolation}`;
    return `${begin}${level}; select ${calls.join(', ')}${preRequest === undefined ? '' : `; select ${preRequest}()`}`;
  }

  /** Statements in flight have these seconds to end. */
  async close(seconds = 0): Promise<void> {
    await this.sql.close({ timeout: seconds });
  }
}

export class Connection implements Runner {
  private hasLongMessage = false;
  private hasDeadline = true;
  /** The end of the work as performance.now() returns it, and the current limit of a statement in milliseconds. */
  private timeLimit: { readonly endsAt: number; statementMs: number } | undefined;

  constructor(
    private readonly reserved: ReservedSQL,
    private readonly pool: Pool,
    private readonly giveBack: () => void,
  ) {}

  unsafe<T>(text: string, values?: Value[]): Promise<T> {
    // If this fails, so does the statement.
    if (this.timeLimit !== undefined) this.shortenStatements(this.timeLimit)?.catch(() => undefined);
    return this.send(text, values);
  }

  /**
   * Limits the time of all statements in a part of a transaction. PostgreSQL limits only each single statement: each
   * gets the time that is left, within a tenth. `querySeconds` is the limit of the session.
   */
  async withTimeLimit<T>(seconds: number, querySeconds: number, work: () => Promise<T>): Promise<T> {
    this.timeLimit = { endsAt: performance.now() + seconds * 1000, statementMs: querySeconds * 1000 };
    try {
      return await work();
    } finally {
      this.timeLimit = undefined;
    }
  }

  /** The connection keeps the order of statements. */
  private shortenStatements(limit: NonNullable<Connection['timeLimit']>): Promise<unknown> | undefined {
    const left = Math.max(1, Math.ceil(limit.endsAt - performance.now()));
    if (left >= 0.9 * limit.statementMs) return undefined;
    limit.statementMs = left;
    return this.send(`set local statement_timeout = ${left}`);
  }

  private send<T>(text: string, values?: Value[]): Promise<T> {
    let length = 0;
    for (const value of values ?? []) if (typeof value === 'string') length += value.length;
    this.recordLength(length);
    const statement = this.reserved.unsafe<T>(text, values);
    return this.hasDeadline ? this.pool.inFlight.track(statement, 'dedicated', () => void this.close()) : statement;
  }

  recordLength(length: number): void {
    if (length > LONG_MESSAGE) this.hasLongMessage = true;
  }

  /** Lifts the deadline of later statements, as `statement_timeout = 0` does on the server. */
  liftDeadline(): void {
    this.hasDeadline = false;
  }

  /** Returns the connection to the pool. Failures do not matter: the work on it is done. */
  async release(): Promise<void> {
    if (this.hasLongMessage && this.pool.options.keepsConnections !== true) return this.close();
    await this.reserved.release().catch(() => undefined);
    this.giveBack();
  }

  async close(): Promise<void> {
    await this.reserved.close({ timeout: 0 }).catch(() => undefined);
    this.giveBack();
  }
}

/** A text literal, whatever `standard_conforming_strings` is. PostgreSQL has no text with a zero byte. */
function escaped(text: string): string {
  return `E'${text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
