/**
 * Finds the primary among the hosts of the URL. The service asks each host separately, so that a silent host delays no other.
 * If several hosts would do, the first of the list wins.
 */

import { namingHost } from '../connections/unknown-host.ts';
import { openPool, type SessionSettings, within } from '../driver.ts';
import type { ServerAddress, Target } from '../url.ts';
import { type ConnectedServer, identifyServer } from './primary-probe.ts';

/** How long a host may take before the service also asks the next one of the list. */
const HEAD_START_MS = 500;
/** How long a server may take to answer after it accepted a connection. */
const ANSWER_MS = 2_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export interface Search {
  readonly target: Target;
  readonly settings: SessionSettings;
}

/** Every server that answers is read-only. */
export class NoPrimary extends Error {}

/** Asks every host once. Throws the failure of a host that cannot be reached rather than that of a standby. */
export async function findPrimaryOnce(search: Search): Promise<ConnectedServer> {
  let failure: unknown;
  const found = await race(search.target.servers, async (server) => {
    try {
      return await connect(server, search);
    } catch (error) {
      failure = failure instanceof NoPrimary && !(error instanceof NoPrimary) ? error : (failure ?? error);
      return undefined;
    }
  });
  if (found === undefined) throw failure;
  return found;
}

/** Asks each host again with growing pauses until one is the primary; undefined if the caller ends the search before. */
export function searchPrimary(
  search: Search,
  failed: (error: unknown) => void,
  isOver: () => boolean,
): Promise<ConnectedServer | undefined> {
  let isFound = false;
  return race(search.target.servers, async (server) => {
    for (let attempt = 0; !isFound && !isOver(); attempt++) {
      try {
        const connected = await connect(server, search);
        isFound = true;
        return connected;
      } catch (error) {
        failed(error);
      }
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10));
      await Bun.sleep(pause * (0.5 + Math.random() / 2));
    }
    return undefined;
  });
}

/** Resolves to the first server found and closes the others. The next host starts when the one before failed or is late. */
async function race(
  servers: readonly ServerAddress[],
  ask: (server: ServerAddress) => Promise<ConnectedServer | undefined>,
): Promise<ConnectedServer | undefined> {
  return new Promise((resolve) => {
    let isFound = false;
    const asked: Promise<void>[] = [];
    const start = async () => {
      for (const server of servers) {
        if (isFound) break;
        const answer = ask(server).then((connected) => {
          if (connected === undefined) return;
          if (isFound) void connected.pool.close({ timeout: 0 });
          isFound = true;
          resolve(connected);
        });
        asked.push(answer);
        await Promise.race([answer, Bun.sleep(HEAD_START_MS)]);
      }
      await Promise.all(asked);
      resolve(undefined);
    };
    void start();
  });
}

async function connect(server: ServerAddress, { target, settings }: Search): Promise<ConnectedServer> {
  const pool = openPool(server, settings);
  try {
    const identity = await within(settings.connectSeconds * 1000 + ANSWER_MS, identifyServer(pool));
    if (target.needsWritable && identity.isReadOnly) {
      throw new NoPrimary(`No server takes writes: ${server.name} is a standby`);
    }
    return { server, pool, identity };
  } catch (error) {
    await pool.close({ timeout: 0 });
    throw await namingHost(error, server);
  }
}
