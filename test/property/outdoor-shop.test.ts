/**
 * Strangers learn nothing from the outdoor shop of examples/shop. Two databases that differ only in hidden rows and
 * fields (through references, through time, drafts, orders of others) give the same responses and events.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ANONYMOUS, type Caller } from '../../src/collection/access/caller.ts';
import { type FeedService, serveFeeds } from '../support/engines/feed-service.ts';
import { openDeclaredEngine } from '../support/engines/shop.ts';
import { CountedPairs, kindOf } from '../support/generated/counted-pairs.ts';
import { type Chooser, chooserOf } from '../support/generated/embedding-requests.ts';
import { RUNS } from '../support/generated/generators.ts';
import { chooseOutdoorRequest } from '../support/generated/outdoor-requests.ts';
import {
  type BatchEntry,
  type Database,
  type Expected,
  markers,
  OutdoorWriter,
  outdoorRows,
  SECRET,
  SECRET_OUTDOOR_SHOP,
  STRANGERS,
  type Step,
} from '../support/generated/outdoor-secrets.ts';
import type { RoleRequest } from '../support/generated/role-requests.ts';
import type { EventClient } from '../support/network/event-stream.ts';
import { until } from '../support/processes/process.ts';
import { sendJson } from '../support/stories.ts';

const ROUNDS = 3;
/** A long run reads more between the writes, which take most of the time. */
const REQUESTS = RUNS > 1 ? 400 : 25;
const ROWS = [outdoorRows(0), outdoorRows(1)] as const;
const pairs = new CountedPairs();

/** The token is the name of the role. */
function identify({ headers }: Pick<Request, 'headers'>): Caller {
  const role = headers.get('authorization')?.replace('Bearer ', '') ?? 'anonymous';
  if (role === 'anonymous') return ANONYMOUS;
  return { role, claims: { customer_id: 1, sub: role }, name: role, identity: `token ${role}` };
}

const asRole = (role: string): Record<string, string> =>
  role === 'anonymous' ? {} : { authorization: `Bearer ${role}` };

interface Followed {
  readonly path: string;
  readonly keys: readonly string[];
  /** The key of the row that the markers change, and how often its text contains the marker. */
  readonly marked: readonly [key: string, times: number];
}

const FEEDS: readonly Followed[] = [
  { path: '/prices', keys: ['id'], marked: ['[1]', 1] },
  { path: '/products?select=id,name,prices(id,amount),description', keys: ['id'], marked: ['[1]', 3] },
];
const FEEDS_OF_CUSTOMERS: typeof FEEDS = [
  { path: '/orders?select=id,placed_at,order_lines(id,quantity)', keys: ['id'], marked: ['[1]', 2] },
  { path: '/order_lines?select=id,quantity,products(name,prices(amount))', keys: ['id'], marked: ['[1]', 3] },
];

class Pair {
  private readonly feeds: EventClient[][] = [];
  private readonly followed: typeof FEEDS;

  constructor(
    private readonly services: readonly FeedService[],
    private readonly engine: string,
    readonly role: string,
  ) {
    this.followed = ['customer', 'regular'].includes(role) ? [...FEEDS, ...FEEDS_OF_CUSTOMERS] : FEEDS;
  }

  async follow(): Promise<void> {
    const follow = (service: FeedService) =>
      Promise.all(this.followed.map(({ path, keys }) => service.follow(path, asRole(this.role), keys)));
    for (const service of this.services) this.feeds.push(await follow(service));
    this.expectSameEvents(0);
  }

  async write(batch: (database: Database) => readonly BatchEntry[]): Promise<void> {
    for (const [index, { fetch }] of this.services.entries()) {
      const answer = await fetch('/batch', sendJson('POST', batch(index as Database), asRole('editor')));
      const text = await answer.text();
      expect({ status: answer.status, text: answer.status === 200 || text }).toEqual({ status: 200, text: true });
    }
  }

  /** Waits until every feed has sent the whole step with the marker, which may arrive in parts. */
  private async sync(marker: number): Promise<void> {
    for (const clients of this.feeds) {
      for (const [index, { path, marked }] of this.followed.entries()) {
        const [key, times] = marked;
        const { steps } = clients[index]!;
        const shown = () =>
          JSON.stringify(steps.get(clients[index]!.position!)?.get(key) ?? '').split(`${marker}`).length - 1;
        await until(`${marker} in ${path}`, () => shown() >= times);
      }
    }
  }

  /** Waits for events of prices whose time comes. */
  async timePasses(expected: readonly Expected[]): Promise<void> {
    for (const [prices] of this.feeds) {
      const has = ({ event, id }: Expected) => prices!.rows.has(JSON.stringify([id])) === (event === 'insert');
      await until(`${JSON.stringify(expected)} in the feed of prices`, () => expected.every(has));
    }
  }

  /** Writes a batch with its marker, waits for the feeds, and compares them. */
  async step({ batch, expected }: Step, marker: number): Promise<void> {
    await this.write((database) => [...batch(database), ...markers(marker)]);
    await this.sync(marker);
    if (expected.length === 0) return this.expectSameEvents(marker);
    // A feed may be late, and send one event for a write and for the time that comes after it. Then the rows are equal.
    await this.timePasses(expected);
    await this.write(() => markers(marker + 1));
    await this.sync(marker + 1);
    this.expectSameRows(marker);
    for (const client of this.feeds.flat()) client.take();
  }

  private expectSameEvents(marker: number): void {
    const [one, other] = this.feeds.map((clients) => clients.map((client) => client.take()));
    expect({ role: this.role, marker, events: other! }).toEqual({ role: this.role, marker, events: one! });
    expect(JSON.stringify(one)).not.toMatch(SECRET);
    this.expectSameRows(marker);
  }

  private expectSameRows(marker: number): void {
    const [one, other] = this.feeds.map((clients) => clients.map(({ rows }) => [...rows].sort()));
    expect({ role: this.role, marker, rows: other! }).toEqual({ role: this.role, marker, rows: one! });
    expect(JSON.stringify(one)).not.toMatch(SECRET);
    for (const _feed of this.followed) pairs.add(this.engine, 'feed');
  }

  async expectSame(request: RoleRequest): Promise<void> {
    const [one, other] = await Promise.all(this.services.map((service) => this.ask(service, request)));
    const said = { role: this.role, path: request.path, ...request.init };
    expect({ ...said, ...other! }).toEqual({ ...said, ...one! });
    const sent = `${request.path} ${request.init.body ?? ''}`;
    const showsSecret = SECRET.test(one!.body) && !SECRET.test(sent);
    expect({
      ...said,
      isFault: one!.status >= 500 && one!.status !== 501,
      showsSecret,
      body: showsSecret && one!.body,
    }).toEqual({
      ...said,
      isFault: false,
      showsSecret: false,
      body: false,
    });
    pairs.add(this.engine, kindOf(request), one!.status < 400);
  }

  private async ask({ fetch }: FeedService, { path, init }: RoleRequest) {
    const headers = { ...(init.headers as Record<string, string>), ...asRole(this.role) };
    const response = await fetch(path, { ...init, headers });
    const text = await response.text();
    // The time of an order in a dry run is that of the request, and its length varies.
    const body = text.replace(/^(\{"id":\d+,"customer_id":1,"placed_at":")[^"]*/, '$1');
    const varying = body === text ? ['date'] : ['date', 'content-length'];
    const shown = [...response.headers].filter(([name]) => !varying.includes(name));
    return { status: response.status, headers: shown, body };
  }

  /** A cached response of another role must not be seen. */
  async warm({ path }: RoleRequest): Promise<void> {
    await (await this.services[0]!.fetch(path, { headers: asRole('editor') })).text();
  }

  async position(): Promise<number> {
    const init = { headers: asRole('editor') };
    const positions = this.services.map(async ({ fetch }) =>
      (await fetch('/changes?select=seq&order=seq.desc&limit=1', init)).text(),
    );
    const [one, other] = await Promise.all(positions);
    expect(other!).toBe(one!);
    return (JSON.parse(one!) as { seq: number }[])[0]!.seq;
  }
}

async function tryPair(pair: Pair, choose: Chooser): Promise<void> {
  const writer = new OutdoorWriter(choose);
  // Times of the log are more exact than a millisecond.
  const times = [new Date(Date.now() + 1).toISOString()];
  await pair.follow();
  for (let round = 1; round <= ROUNDS; round++) {
    await pair.step(writer.step(), 7000 + 2 * round);
    times.push(new Date(Date.now() + 1).toISOString());
    await Bun.sleep(2);
    const last = await pair.position();
    for (let count = 0; count < REQUESTS; count++) {
      const request = chooseOutdoorRequest(choose, pair.role, times, last);
      await pair.expectSame(request);
      if (request.init.body !== undefined || count % 8 > 1) continue;
      if (count % 8 === 0) await pair.warm(request);
      await pair.expectSame(request);
    }
  }
}

describe.each(['SQLite', 'PostgreSQL'])('%s', (engine) => {
  test.each([...STRANGERS])('hidden rows change nothing that %s gets from the outdoor shop', (role) =>
    fc.assert(
      fc.asyncProperty(fc.gen(), async (generate) => {
        const services = await Promise.all(
          ROWS.map(async (rows) =>
            serveFeeds(await openDeclaredEngine(engine, SECRET_OUTDOOR_SHOP, rows), SECRET_OUTDOOR_SHOP, { identify }),
          ),
        );
        try {
          await tryPair(new Pair(services, engine, role), chooserOf(generate));
        } finally {
          await Promise.all(services.map((each) => each.close()));
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    ),
  );
});
