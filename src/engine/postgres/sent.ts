/**
 * Statements that were sent over a connection of their own and are not answered yet, by its pool. Bun's driver does not tell whether
 * a connection is still there: `lost-answers.ts` finds out.
 */
import type { ReservedSQL, SQL } from 'bun';
import type { Value } from '../../collection/value.ts';
import type { Statement } from '../compile/statement.ts';
import { noteLength } from './buffers.ts';

export interface Sent {
  readonly at: number;
  readonly sql: string;
  readonly params: readonly Value[];
  /** How often nobody was found to be at work on it. */
  missed: number;
  /** Ends the connection, too. */
  readonly giveUp: (reason: unknown) => void;
}

/** On a pool and on connections of their own from it. A WeakMap would cost every write more than the rest of this. */
const SENT = Symbol('sent');

interface Noting {
  [SENT]?: Set<Sent>;
}

/** What is sent over this connection is noted from now on. */
export function noteSent(connection: ReservedSQL, pool: SQL): void {
  const noting = pool as Noting;
  noting[SENT] ??= new Set();
  (connection as Noting)[SENT] = noting[SENT];
}

export function sentAndNotAnswered(pool: SQL): Iterable<Sent> {
  return (pool as Noting)[SENT] ?? [];
}

/** Of the texts among the values. */
export function lengthOf(params: readonly Value[]): number {
  return params.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

/** The same outcome; or what it is given up with. */
export function noted<T>(
  runner: object,
  query: SQL.Query<T>,
  { sql, params }: Statement,
): Promise<T & SQL.ResultMetadata> {
  const sent = 'release' in runner ? (runner as Noting)[SENT] : undefined;
  if (sent === undefined) return query;
  noteLength(runner, lengthOf(params));
  return new Promise((resolve, reject) => {
    const giveUp = (reason: unknown) => {
      void (runner as ReservedSQL).close({ timeout: 0 }).catch(() => undefined);
      reject(reason);
    };
    const one: Sent = { at: performance.now(), sql, params, missed: 0, giveUp };
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
