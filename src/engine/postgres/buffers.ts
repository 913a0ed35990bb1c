/**
 * Bun's driver keeps the buffers of a connection as large as the longest message that went through them, for as long as the
 * connection lives. One that has carried a long message is closed when it is given back, and its pool opens another.
 */
import type { ReservedSQL, SQL } from 'bun';

const LONG_LENGTH = 1024 * 1024;

/** On connections and pools. A WeakMap would cost every write more than the rest of this. */
const CARRIED = Symbol('has carried a long message');
const LASTING = Symbol('its connections last');

interface Noting {
  [CARRIED]?: boolean;
  [LASTING]?: boolean;
}

/** So many characters went over this connection, or pool, in one message. */
export function noteLength(runner: object, length: number): void {
  if (length > LONG_LENGTH) (runner as Noting)[CARRIED] = true;
}

/** The connections of this pool stay open, whatever they have carried. */
export function keepConnections(pool: SQL): void {
  (pool as Noting)[LASTING] = true;
}

/** Whether a connection stays open is for its pool to say. */
export function ofPool(connection: ReservedSQL, pool: SQL): void {
  if ((pool as Noting)[LASTING] === true) (connection as Noting)[LASTING] = true;
}

/** One that cannot be given back or closed any more has gone already: what was done over it is done. */
export function release(connection: ReservedSQL): Promise<void> {
  const { [CARRIED]: hasCarried = false, [LASTING]: lasts = false } = connection as Noting;
  const given = hasCarried && !lasts ? connection.close({ timeout: 0 }) : connection.release();
  return given.catch(() => undefined);
}
