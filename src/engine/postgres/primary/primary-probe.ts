/** Health check of the primary: a query over a connection of its own says which server answers, and whether it takes writes. */
import type { SQL } from 'bun';
import { NoAnswer, openPool, query, type Runner, type SessionSettings, within } from '../driver.ts';
import { isLoss } from '../errors.ts';
import type { ServerAddress } from '../url.ts';

/** A server that takes longer to answer is gone, unless it answers the second probe. */
const ANSWER_MS = 1_500;
const MAX_SILENCES = 2;
/** Probes of an address that may lead to several servers. */
const MAX_PROBES = 4;

export interface Identity {
  /** Differs between servers, and before and after a restart of one server. */
  readonly name: string;
  /** Whether it rejects writes, as a standby does. */
  readonly isReadOnly: boolean;
}

/** A server with connections to it. */
export interface ConnectedServer {
  readonly server: ServerAddress;
  readonly pool: SQL;
  readonly identity: Identity;
}

export async function identifyServer(runner: Runner): Promise<Identity> {
  const [row] = await query<Identity>(runner, {
    sql: `select concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time()) as name,
      pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "isReadOnly"`,
    params: [],
  });
  return row!;
}

/** The address leads to another server, to the same server after a restart, or to one that became read-only. */
export class ServerChanged extends Error {
  readonly code = 'ERR_POSTGRES_CONNECTION_ELSEWHERE';
}

/** Whether this is still the server of before, in the role of before. */
export function isUnchanged(now: Identity, before: Identity): boolean {
  return now.name === before.name && (before.isReadOnly || !now.isReadOnly);
}

/** Resolves to the problem of a server; undefined if it is well. A server that is full, or rejects the login, counts as well. */
export async function checkServer(
  { server, identity }: ConnectedServer,
  settings: SessionSettings,
): Promise<unknown | undefined> {
  let problem: unknown;
  let silences = 0;
  // An address may lead to several primaries: the server is gone only if none of the probes reaches it.
  for (let probes = 0; probes < MAX_PROBES && silences < MAX_SILENCES; probes++) {
    const probe = openPool(server, settings, 1);
    try {
      if (isUnchanged(await within(ANSWER_MS, identifyServer(probe)), identity)) return undefined;
      problem = new ServerChanged('another server answers');
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
