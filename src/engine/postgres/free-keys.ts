/** Where keys are assigned from once the largest possible one was used, and the sequence gives no more. */
import { INT4_MAX } from '../../limits.ts';
import { compileFreePosition } from '../compile/free-keys.ts';
import { keysUsedUp } from '../terms.ts';
import { query, quoteText, type Runner } from './driver.ts';
import type { WriteContext } from './writes.ts';

/** One lock for all who move a sequence: of two who do it at once, neither takes it back. "PCat" + 1. */
export const SEQUENCE_LOCK = 0x50436175;

/** Until the transaction ends nobody else moves the sequence; those who draw from it go on. */
export async function holdSequence(connection: Runner): Promise<void> {
  await query(connection, { sql: `select pg_advisory_xact_lock(${SEQUENCE_LOCK})`, params: [] });
}

/** Whether the sequence cannot give `count` more keys. */
export async function isAtItsEnd(connection: Runner, { sequence }: WriteContext, count: number): Promise<boolean> {
  const [at] = await query<{ reached: number }>(connection, {
    sql: `select last_value::float8 as reached from ${sequence}`,
    params: [],
  });
  return Number(at!.reached) + count > INT4_MAX;
}

/** The position after which `count` keys can be assigned. */
export async function freePosition(connection: Runner, context: WriteContext, count: number): Promise<number> {
  const { collection, dialect } = context;
  const [found] = await query<{ position: number | null }>(connection, compileFreePosition(collection, count, dialect));
  if (found!.position === null) throw keysUsedUp(collection);
  return found!.position;
}

export async function setSequence(connection: Runner, { sequence }: WriteContext, last: number): Promise<void> {
  await query(connection, { sql: `select setval(${quoteText(sequence)}, ${last})`, params: [] });
}
