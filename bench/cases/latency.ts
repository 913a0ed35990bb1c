/** What the others notice while four clients run the costliest query there is, and when such a query ends. */
import type { Case } from '../case.ts';
import type { Fixtures } from '../fixtures.ts';
import { get, type Load, measure } from '../load.ts';
import { summarise } from '../outcome.ts';
import { type Server, startService } from '../servers.ts';

/** An expression that no name matches, so that every one of the million is tried. */
function searchUrl({ url }: Server, round: number): string {
  return `${url}/products?product_name=imatch.(q|x)z*${round}%24&select=id`;
}

/** On all cores: it keeps a thread for costly reads, and how it shares the machine among them is the question here. */
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

/** Four clients, each with the next search as soon as one is answered. */
function startSearches(service: Server): { stop: () => Promise<void> } {
  const ended = new AbortController();
  let refused: number | undefined;
  const search = async (client: number) => {
    for (let round = client; !ended.signal.aborted; round += 4) {
      const response = await fetch(searchUrl(service, round), { signal: ended.signal }).catch(() => undefined);
      // Past the time limit is where such a search may end; nowhere else.
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

/** Alone: what others search is waited for, and does not count. */
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
