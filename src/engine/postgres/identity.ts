/** Which server is at the other end, and whether it is still there: asked over a connection of its own, beside the work. */
import type { SQL } from 'bun';
import { NoAnswer, openPool, query, type Runner, type SessionSettings, within } from './driver.ts';
import { isLoss } from './refusals.ts';
import type { ServerAddress } from './url.ts';

/** A server that takes longer to say who it is has gone without a word, unless it answers the second time. */
const ANSWER_MS = 1_500;
const MOST_SILENCES = 2;
/** How often it is asked for among others. */
const MOST_SERVERS = 4;

export interface Identity {
  /** Another text for another server, and for the same one after a restart. */
  readonly name: string;
  /** Whether it takes no writes: a standby, or one that was told so. */
  readonly isReadOnly: boolean;
}

export async function identify(runner: Runner): Promise<Identity> {
  const [row] = await query<Identity>(runner, {
    sql: `select concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time()) as name,
      pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "isReadOnly"`,
    params: [],
  });
  return row!;
}

/** The address leads to another server now, or to the same one after a restart: what runs on the old connections is of the past. */
export class Elsewhere extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_ELSEWHERE';
}

/**
 * Undefined where it is there, and the same, and nothing is wrong with what else is looked at there; else what is wrong. One that is
 * full, or refuses for another reason, is there.
 */
export async function absence(
  server: ServerAddress,
  settings: SessionSettings,
  name: string,
  wrongWith: (probe: Runner) => Promise<unknown | undefined> = async () => undefined,
): Promise<unknown | undefined> {
  let problem: unknown;
  let silences = 0;
  // An address may lead to several servers that all write: only where the one that was found does not show up again, it is gone.
  for (let tried = 0; tried < MOST_SERVERS && silences < MOST_SILENCES; tried++) {
    const probe = openPool(server, settings, 1);
    try {
      const found = await within(ANSWER_MS, identify(probe));
      if (found.name === name) return await within(ANSWER_MS, wrongWith(probe));
      problem = new Elsewhere('another server answers');
    } catch (error) {
      if (!isLoss(error)) return undefined;
      problem = error;
      if (!isSilence(error)) return problem;
      silences++;
    } finally {
      void probe.close({ timeout: 0 });
    }
  }
  return problem;
}

function isSilence(error: unknown): boolean {
  return error instanceof NoAnswer || (error as { code?: string }).code === 'ERR_POSTGRES_CONNECTION_TIMEOUT';
}

/** A server that was reached, with connections to it. */
export interface Reached {
  readonly server: ServerAddress;
  readonly pool: SQL;
  readonly identity: Identity;
}
