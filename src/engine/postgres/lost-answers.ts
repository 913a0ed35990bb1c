/**
 * A connection that died without a word, though its server is well: what was sent over it is not answered. A slow statement is
 * somebody's work: the server is asked who is at work, and since when. Where nobody has been for about as long as a statement is
 * waited for, its answer was lost, or it never arrived.
 */
import type { SQL } from 'bun';
import { query, type Runner } from './driver.ts';
import { lengthOf, type Sent, sentAndNotAnswered } from './sent.ts';

/** Nobody is asked about a statement before that. */
const LONG_MS = 3_000;
const LOOKS = 2;
/** What is longer takes its time to arrive, and nobody is at work on it meanwhile. */
const MOST_LENGTH = 1_000_000;
const INACCURACY_MS = 1_000;
/** A read on a shared connection is looked at this early, and then must have been the oldest for so long. */
const LONG_READ_MS = 2_000;
const OLDEST_MS = 1_000;

export class LostAnswer extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_LOST';

  constructor() {
    super('a connection has fallen silent');
  }
}

/** A read on a connection that others use, too; the same object each time. */
export interface SharedRead {
  readonly at: number;
}

/**
 * Tells whether an answer was lost over a connection of this pool; `probe` is on the same server. Statements on connections of their
 * own are given up; reads on shared ones are for the caller to give up, `oldest` being the one that has waited longest.
 */
export async function lostAnswer(
  probe: Runner,
  pool: SQL,
  oldest: () => SharedRead | undefined = () => undefined,
): Promise<LostAnswer | undefined> {
  const longSent = () => [...sentAndNotAnswered(pool)].filter(isLong);
  const longRead = () => {
    const read = oldest();
    return read !== undefined && performance.now() - read.at > LONG_READ_MS ? read : undefined;
  };
  if (longSent().length === 0 && longRead() === undefined) return undefined;
  const sessions = await sessionsAtWork(probe);
  if (sessions === undefined) return undefined;
  // What was answered meanwhile is gone from these.
  const { missing, others } = matched(longSent(), sessions);
  for (const sent of sentAndNotAnswered(pool)) sent.missed = missing.includes(sent) ? sent.missed + 1 : 0;
  const lost = missing.filter(({ missed }) => missed >= LOOKS);
  const reason = new LostAnswer();
  for (const sent of lost) sent.giveUp(reason);
  return lost.length > 0 || isReadLost(pool, longRead(), others) ? reason : undefined;
}

function isLong({ at, params }: Sent): boolean {
  return performance.now() - at > LONG_MS && lengthOf(params) < MOST_LENGTH;
}

interface Session {
  /** For how many milliseconds it has been at its statement. */
  readonly age: number;
  /** The statement, or as much of it as the server keeps. */
  readonly sql: string;
}

/** Those at work with this role; undefined where this server does not tell. */
async function sessionsAtWork(probe: Runner): Promise<Session[] | undefined> {
  const sessions = await query<Session & { isAsking: boolean }>(probe, {
    sql: `select (extract(epoch from clock_timestamp() - query_start) * 1000)::float8 as age, query as sql,
      pid = pg_backend_pid() as "isAsking" from pg_stat_activity
      where state = 'active' and usename = session_user and datname = current_database()`,
    params: [],
  });
  if (!sessions.some(({ isAsking }) => isAsking)) return undefined;
  return sessions.filter(({ isAsking }) => !isAsking);
}

/**
 * A statement with a connection of its own has a session of its own, too: the one with the same text, and of about the same age.
 * Told are statements that have none, and sessions that are at something else.
 */
function matched(long: readonly Sent[], sessions: readonly Session[]): { missing: Sent[]; others: Session[] } {
  const now = performance.now();
  const mayBe = (sent: Sent, { age }: Session) => age > (now - sent.at) / 2 && age < now - sent.at + INACCURACY_MS;
  const pairs = long
    .flatMap((sent) => sessions.filter((session) => mayBe(sent, session)).map((session) => ({ sent, session })))
    .map(({ sent, session }) => ({
      sent,
      session,
      isSame: session.sql !== '' && sent.sql.startsWith(session.sql),
      apart: Math.abs(now - sent.at - session.age),
    }))
    .sort((one, other) => Number(other.isSame) - Number(one.isSame) || one.apart - other.apart);
  const worked = new Set<Sent>();
  const taken = new Set<Session>();
  for (const { sent, session } of pairs) {
    if (worked.has(sent) || taken.has(session)) continue;
    worked.add(sent);
    taken.add(session);
  }
  return {
    missing: long.filter((sent) => !worked.has(sent)),
    others: sessions.filter((session) => !taken.has(session)),
  };
}

const lastLook = new WeakMap<SQL, { readonly read: SharedRead; readonly at: number }>();

/**
 * Statements on a shared connection wait for each other. One that is still the oldest of all after a while is behind no other: some
 * session has been at it since then.
 */
function isReadLost(pool: SQL, read: SharedRead | undefined, sessions: readonly Session[]): boolean {
  const last = lastLook.get(pool);
  const now = performance.now();
  if (read === undefined) return false;
  if (last?.read !== read) lastLook.set(pool, { read, at: now });
  if (last?.read !== read || now - last.at < OLDEST_MS) return false;
  return !sessions.some(({ age }) => age > (now - last.at) / 2);
}
