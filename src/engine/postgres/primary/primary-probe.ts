/** Health check of the primary: a query over a separate connection identifies the server and its read-only mode. */
import { openPool, query, type Runner, type SessionSettings, within } from '../driver.ts';
import { connectionCode, isLoss, ServerChanged, ServerUnresponsive } from '../errors.ts';
import type { ServerAddress } from '../url.ts';

/** A server that exceeds this time in two probes is down. */
const ANSWER_MS = 1_500;
const MAX_TIMEOUTS = 2;
/** Probes of an address that may lead to several servers. */
const MAX_PROBES = 4;

export interface Identity {
  /** Differs between servers, and before and after a restart of one server. */
  readonly name: string;
  /** Whether it rejects writes, as a standby does. */
  readonly isReadOnly: boolean;
}

export async function identifyServer(runner: Runner): Promise<Identity> {
  const sql = `select concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time()) as name,
      pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "isReadOnly"`;
  const [row] = await query<Identity>(runner, sql);
  return row!;
}

/** Throws unless the server answers in time, is the same as before, and still takes writes if it did. */
export async function verifyServer(runner: Runner, expected: Identity, milliseconds = ANSWER_MS): Promise<void> {
  const now = await within(milliseconds, identifyServer(runner));
  if (now.name !== expected.name || (now.isReadOnly && !expected.isReadOnly)) throw new ServerChanged();
}

/**
 * Probes a server over new connections. Resolves to its problem; undefined if it is healthy. A server that is full, or
 * rejects the login, counts as healthy.
 */
export async function checkServer(
  server: ServerAddress,
  identity: Identity,
  settings: SessionSettings,
): Promise<unknown | undefined> {
  let timeouts = 0;
  // An address may lead to several primaries: the server is down only if none of the probes reaches it.
  for (let probes = 1; ; probes++) {
    const probe = openPool(server, settings, 1);
    try {
      await verifyServer(probe, identity);
      return undefined;
    } catch (error) {
      if (!isLoss(error)) return undefined;
      if (isTimeout(error)) timeouts++;
      else if (!(error instanceof ServerChanged)) return error;
      if (probes === MAX_PROBES || timeouts === MAX_TIMEOUTS) return error;
    } finally {
      void probe.close({ timeout: 0 });
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof ServerUnresponsive || connectionCode(error) === 'ERR_POSTGRES_CONNECTION_TIMEOUT';
}
