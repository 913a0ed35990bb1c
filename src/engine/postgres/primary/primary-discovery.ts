/**
 * Finds the primary among the hosts of the URL. The service probes each host separately, so that an unresponsive host
 * delays no other.
 * If several hosts would do, the first of the list wins.
 */
import type { SQL } from 'bun';
import { openPool, type SessionSettings, within } from '../driver.ts';
import { NoPrimary } from '../errors.ts';
import { nameUnknownHost, type ServerAddress, type Target } from '../url.ts';
import { type Identity, identifyServer } from './primary-probe.ts';

/** How long a host may take before the service also asks the next one of the list. */
const HEAD_START_MS = 500;
/** How long a server may take to answer after it accepted a connection. */
const ANSWER_MS = 2_000;
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;

/** A primary with the driver's pool of connections to it. */
export interface Primary {
  readonly server: ServerAddress;
  readonly sql: SQL;
  readonly identity: Identity;
}

/**
 * Asks each host again with exponential back-off until one is the primary. Resolves to undefined if `shouldStop` ends
 * the search of every host before its next attempt.
 */
export function findPrimary(
  { servers, needsWritable }: Target,
  settings: SessionSettings,
  onFailure: (error: unknown) => void,
  shouldStop: (attempt: number) => boolean,
): Promise<Primary | undefined> {
  const { promise, resolve } = Promise.withResolvers<Primary | undefined>();
  let isFound = false;
  const search = async (server: ServerAddress) => {
    for (let attempt = 0; !isFound && !shouldStop(attempt); attempt++) {
      const pause = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.min(attempt - 1, 10));
      if (attempt > 0) await Bun.sleep(pause * (0.5 + Math.random() / 2));
      try {
        const primary = await connect(server, settings, needsWritable);
        if (isFound) void primary.sql.close({ timeout: 0 });
        isFound = true;
        resolve(primary);
      } catch (error) {
        onFailure(error);
      }
    }
  };
  const searchAll = async () => {
    const searches: Promise<void>[] = [];
    for (const server of servers) {
      if (isFound) return;
      searches.push(search(server));
      await Promise.race([searches.at(-1), Bun.sleep(HEAD_START_MS)]);
    }
    await Promise.all(searches);
    resolve(undefined);
  };
  void searchAll();
  return promise;
}

async function connect(server: ServerAddress, settings: SessionSettings, needsWritable: boolean): Promise<Primary> {
  const sql = openPool(server, settings);
  try {
    const identity = await within(settings.connectSeconds * 1000 + ANSWER_MS, identifyServer(sql));
    if (needsWritable && identity.isReadOnly) throw new NoPrimary(server.name);
    return { server, sql, identity };
  } catch (error) {
    await sql.close({ timeout: 0 });
    throw await nameUnknownHost(error, server);
  }
}
