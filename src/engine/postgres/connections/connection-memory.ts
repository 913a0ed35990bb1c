/**
 * Bounds the memory of connections. Bun's driver keeps the buffers of a connection as large as its longest message until the
 * connection closes: ten connections that carried 12 MB each way hold 250 MB. So the service closes a connection that carried a
 * long message as soon as its work ends, and the pool replaces it.
 */
import type { ReservedSQL, SQL } from 'bun';
import type { Value } from '../../../collection/value.ts';

const LONG_MESSAGE = 1024 * 1024;

/** Properties of connections and pools: a WeakMap would cost each write more than the rest of this file. */
const HAS_LONG_MESSAGE = Symbol('has carried a long message');
const KEEPS_CONNECTIONS = Symbol('its connections stay open');

interface Marked {
  [HAS_LONG_MESSAGE]?: boolean;
  [KEEPS_CONNECTIONS]?: boolean;
}

/** Records the length of a message on a connection, in characters. */
export function recordLength(runner: object, length: number): void {
  if (length > LONG_MESSAGE) (runner as Marked)[HAS_LONG_MESSAGE] = true;
}

export function recordValues(runner: object, values: readonly Value[]): void {
  let length = 0;
  for (const value of values) if (typeof value === 'string') length += value.length;
  recordLength(runner, length);
}

/** Keeps the connections of this pool open, whatever they carried. */
export function keepConnections(pool: SQL): void {
  (pool as Marked)[KEEPS_CONNECTIONS] = true;
}

export function keepLikePool(connection: ReservedSQL, pool: SQL): void {
  if ((pool as Marked)[KEEPS_CONNECTIONS] === true) (connection as Marked)[KEEPS_CONNECTIONS] = true;
}

/** Returns a connection to its pool, or closes it. Failures do not matter: the work on it is done. */
export function release(connection: ReservedSQL): Promise<void> {
  const { [HAS_LONG_MESSAGE]: isLarge = false, [KEEPS_CONNECTIONS]: isKept = false } = connection as Marked;
  return (isLarge && !isKept ? connection.close({ timeout: 0 }) : connection.release()).catch(() => undefined);
}
