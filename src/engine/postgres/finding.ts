/**
 * The server that writes, among several. Each is asked by itself, so that one that is silent holds up no other; where several
 * would do, the first of the list is taken.
 */
import { openPool, type SessionSettings, within } from './driver.ts';
import { identify, type Reached } from './identity.ts';
import { namingHost } from './unknown-host.ts';
import type { ServerAddress, Target } from './url.ts';

/** How long a server is waited for before the next one of the list is asked, too. */
const HEAD_START_MS = 500;
/** What a server gets to answer once it has taken a connection. */
const ANSWER_MS = 2_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

export interface Search {
  readonly target: Target;
  readonly settings: SessionSettings;
  /** Told of every connection that closes. */
  readonly ended: () => void;
}

/** It is there, and takes no writes. */
export class NoSuchServer extends Error {}

/** Every server once. Throws what went wrong, rather with one that cannot be reached than with one that is a standby. */
export async function findOnce(search: Search): Promise<Reached> {
  let failure: unknown;
  const found = await race(search.target.servers, async (server) => {
    try {
      return await reach(server, search);
    } catch (error) {
      failure = failure instanceof NoSuchServer && !(error instanceof NoSuchServer) ? error : (failure ?? error);
      return undefined;
    }
  });
  if (found === undefined) throw failure;
  return found;
}

/** Each server again and again, with growing pauses, until one is found; undefined when it is over before. */
export function findAtLast(
  search: Search,
  failed: (error: unknown) => void,
  isOver: () => boolean,
): Promise<Reached | undefined> {
  let isFound = false;
  return race(search.target.servers, async (server) => {
    for (let attempt = 0; !isFound && !isOver(); attempt++) {
      try {
        const reached = await reach(server, search);
        isFound = true;
        return reached;
      } catch (error) {
        failed(error);
      }
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10));
      await Bun.sleep(pause * (0.5 + Math.random() / 2));
    }
    return undefined;
  });
}

/** The first that is found; whatever is found later is closed. The next server begins when the one before has failed, or is late. */
async function race(
  servers: readonly ServerAddress[],
  look: (server: ServerAddress) => Promise<Reached | undefined>,
): Promise<Reached | undefined> {
  return new Promise((resolve) => {
    let isFound = false;
    const looking: Promise<void>[] = [];
    const begin = async () => {
      for (const server of servers) {
        if (isFound) break;
        const looked = look(server).then((reached) => {
          if (reached === undefined) return;
          if (isFound) void reached.pool.close({ timeout: 0 });
          isFound = true;
          resolve(reached);
        });
        looking.push(looked);
        await Promise.race([looked, Bun.sleep(HEAD_START_MS)]);
      }
      await Promise.all(looking);
      resolve(undefined);
    };
    void begin();
  });
}

async function reach(server: ServerAddress, { target, settings, ended }: Search): Promise<Reached> {
  const pool = openPool(server, settings, settings.poolSize, ended);
  try {
    const identity = await within(settings.connectSeconds * 1000 + ANSWER_MS, identify(pool));
    if (target.needsWritable && identity.isReadOnly) {
      throw new NoSuchServer(`No server takes writes: ${server.name} is a standby`);
    }
    return { server, pool, identity };
  } catch (error) {
    await pool.close({ timeout: 0 });
    throw await namingHost(error, server);
  }
}
