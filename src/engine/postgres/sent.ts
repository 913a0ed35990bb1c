/**
 * Statements that were sent and are not answered yet, by the pool whose connections they went over. Bun's driver tells neither which
 * connection a statement is on nor whether that one is still there: `lost-answers.ts` finds out.
 */
import type { ReservedSQL, SQL } from 'bun';
import type { Value } from '../../collection/value.ts';
import type { Statement } from '../compile/statement.ts';

export interface Sent {
  readonly at: number;
  readonly sql: string;
  readonly params: readonly Value[];
  /** Whether no other statement can be on its connection. */
  readonly isAlone: boolean;
  /** How often nobody was found to be at work on it. */
  missed: number;
  /** Whether a connection has it: it may still wait for one. */
  readonly isOnItsWay: () => boolean;
  readonly giveUp: (reason: unknown) => void;
}

interface Way {
  readonly sent: Set<Sent>;
  /** Ends a connection that nobody else uses. */
  readonly end?: () => void;
}

const ways = new WeakMap<object, Way>();

/** Statements of this pool are noted from now on. */
export function noteSent(pool: SQL): void {
  ways.set(pool, { sent: new Set() });
}

/** And those of a connection that was reserved from it. */
export function noteSentOn(connection: ReservedSQL, pool: SQL): void {
  const way = ways.get(pool);
  const end = () => void connection.close({ timeout: 0 }).catch(() => undefined);
  if (way !== undefined) ways.set(connection, { sent: way.sent, end });
}

export function sentOver(pool: SQL): ReadonlySet<Sent> {
  return ways.get(pool)?.sent ?? new Set();
}

/** The same outcome; or what it is given up with. */
export function noted<T>(
  runner: object,
  query: SQL.Query<T>,
  { sql, params }: Statement,
): Promise<T & SQL.ResultMetadata> {
  const way = ways.get(runner);
  if (way === undefined) return query;
  const { sent } = way;
  return new Promise((resolve, reject) => {
    const giveUp = (reason: unknown) => {
      way.end?.();
      reject(reason);
    };
    const one: Sent = {
      at: performance.now(),
      sql,
      params,
      isAlone: way.end !== undefined,
      missed: 0,
      isOnItsWay: () => query.active,
      giveUp,
    };
    sent.add(one);
    query.then(
      (answer) => {
        sent.delete(one);
        resolve(answer);
      },
      (error) => {
        sent.delete(one);
        reject(error);
      },
    );
  });
}
