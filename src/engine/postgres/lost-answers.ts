/**
 * A connection that died without a word, though its server is well: what was sent over it is not answered. A slow statement is
 * somebody's work: the server is asked who is at work, and since when. Where nobody has been for about as long as a statement is
 * waited for, its answer was lost, or it never arrived.
 */
import type { SQL } from 'bun';
import { query, type Runner } from './driver.ts';
import { type Sent, sentOver } from './sent.ts';

/** Nobody is asked about a statement before that. */
const LONG_MS = 3_000;
/** A second look tells it from one that has just had its turn after another on the same connection. */
const LOOKS = 2;
/** What is longer takes its time to arrive, and nobody is at work on it meanwhile. */
const MOST_LENGTH = 1_000_000;
const INACCURACY_MS = 1_000;

export class LostAnswer extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_LOST';

  constructor() {
    super('a connection has fallen silent');
  }
}

/** What is lost of the statements that a pool has sent is given up; told is whether there was any. `probe` is on the same server. */
export async function giveUpLost(probe: Runner, pool: SQL): Promise<LostAnswer | undefined> {
  const sent = sentOver(pool);
  if (![...sent].some(isLong)) return undefined;
  const sessions = await sessionsAtWork(probe);
  if (sessions === undefined) return undefined;
  // What was answered meanwhile is gone from these.
  const long = [...sent].filter(isLong);
  const missing = new Set(withoutWork(long, sessions));
  for (const each of sent) each.missed = missing.has(each) ? each.missed + 1 : 0;
  const lost = long.filter(({ missed }) => missed >= LOOKS);
  const reason = new LostAnswer();
  for (const each of lost) each.giveUp(reason);
  return lost.length > 0 ? reason : undefined;
}

function isLong(sent: Sent): boolean {
  const length = sent.params.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
  return performance.now() - sent.at > LONG_MS && sent.isOnItsWay() && length < MOST_LENGTH;
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
 * The statements that no session can be at. One with a connection of its own has a session of its own, too: the one with the same
 * text, and of about the same age. Those on shared connections wait for each other: any session that is left may be at the first of them.
 */
function withoutWork(long: readonly Sent[], sessions: readonly Session[]): Sent[] {
  const now = performance.now();
  const mayBe = (sent: Sent, { age }: Session) => age > (now - sent.at) / 2 && age < now - sent.at + INACCURACY_MS;
  const pairs = long
    .filter(({ isAlone }) => isAlone)
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
  const free = sessions.filter((session) => !taken.has(session));
  return long.filter((sent) => !worked.has(sent) && (sent.isAlone || !free.some((session) => mayBe(sent, session))));
}
