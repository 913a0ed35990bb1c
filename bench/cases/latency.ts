/**
 * The latency of other clients while four clients run the most expensive query, and the time at which such a query is
 * aborted.
 */
import type { Case } from '../case.ts';
import type { Fixtures } from '../fixtures.ts';
import { get, type Load, measure } from '../load.ts';
import { summarise } from '../outcome.ts';
import { type Server, startService } from '../servers.ts';

/** Returns a URL with an expression that no name matches, so that all of the million names are tested. */
function searchUrl({ url }: Server, round: number): string {
  return `${url}/products?product_name=imatch.(q|x)z*${round}%24&select=id`;
}

/**
 * Starts the service on all cores. It has a thread for expensive reads, and the case measures how it shares the
 * machine.
 */
async function start(fixtures: Fixtures, ...flags: string[]): Promise<Server> {
  return startService(await fixtures.million(), { flags, pinned: false });
}

const byId: Load = { script: get('"/products/"..(n * 7919 % 1000000 + 1)'), connections: 4 };

const othersWait: Case = {
  name: 'a million: p99 of GET by id while 4 clients search',
  async run(fixtures, { seconds, rounds, warmUp }) {
    const service = await start(fixtures);
    await measure(service, byId, warmUp / 2);
    const quiet: number[] = [];
    const busy: number[] = [];
    for (let round = 0; round < rounds; round++) {
      quiet.push((await measure(service, byId, seconds)).p99);
      const searches = startSearches(service);
      busy.push((await measure(service, byId, seconds)).p99);
      await searches.stop();
    }
    await service.stop();
    return [
      summarise({ name: this.name, unit: 'ms', goal: { kind: 'bound', under: 20 }, service: busy }),
      summarise({
        name: `${this.name}, beside its quiet value`,
        unit: 'ms',
        goal: { kind: 'times', under: 10 },
        baseline: quiet,
        service: busy,
      }),
    ];
  },
};

/** Starts four clients, each of which sends the next search after the response to the previous one. */
function startSearches(service: Server): { stop: () => Promise<void> } {
  const ended = new AbortController();
  let refused: number | undefined;
  const search = async (client: number) => {
    for (let round = client; !ended.signal.aborted; round += 4) {
      const response = await fetch(searchUrl(service, round), { signal: ended.signal }).catch(() => undefined);
      // A search may fail only with 504, when it exceeds the time limit.
      if (response !== undefined && response.status !== 200 && response.status !== 504) refused = response.status;
      await response?.text().catch(() => undefined);
    }
  };
  const clients = [0, 1, 2, 3].map(search);
  const stop = async () => {
    ended.abort();
    await Promise.all(clients);
    if (refused !== undefined) throw new Error(`a search was answered with ${refused}`);
  };
  return { stop };
}

/** Runs without other searches, because time spent waiting for them is outside the time limit. */
const endsInTime: Case = {
  name: 'a million: a search past a time limit of 1 s gets 504 and code 57014 after',
  async run(fixtures, { rounds }) {
    const service = await start(fixtures, '--query-timeout', '1');
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      const response = await fetch(searchUrl(service, -round));
      const { code } = (await response.json()) as { code?: string };
      seconds.push((performance.now() - started) / 1000);
      if (response.status !== 504 || code !== '57014') throw new Error(`the answer is ${response.status}, ${code}`);
    }
    await service.stop();
    return summarise({ name: this.name, unit: 's', goal: { kind: 'bound', under: 1.5 }, service: seconds });
  },
};

export const latencyCases: readonly Case[] = [othersWait, endsInTime];
