/**
 * Secrets change no byte of the files, the log, earlier rows, feeds, Realtime, agents, comments, stored views, presence
 * and views of the database. Two databases get the same writes except for secrets, and give the same responses and
 * events to every role.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Caller } from '../../src/collection/access/caller.ts';
import { type FeedService, serveFeeds } from '../support/engines/feed-service.ts';
import { openDeclaredPostgresWith } from '../support/engines/postgres.ts';
import type { Rows } from '../support/engines/reused.ts';
import { openDeclaredEngine } from '../support/engines/shop.ts';
import { CountedPairs } from '../support/generated/counted-pairs.ts';
import { type Chooser, chooserOf } from '../support/generated/embedding-requests.ts';
import { RUNS } from '../support/generated/generators.ts';
import {
  type Database,
  SECRET,
  SECRET_ROLES,
  SECRET_SHOP,
  SECRET_SHOP_WITH_VIEW,
  SELLER,
  SecretWriter,
  secretRows,
  VIEW_OF_OTHERS,
} from '../support/generated/hidden-history.ts';
import type { RoleRequest } from '../support/generated/role-requests.ts';
import { chooseSteps, kindsOf, type Step, turnsOf } from '../support/generated/secret-requests.ts';
import type { EventClient } from '../support/network/event-stream.ts';
import { until } from '../support/processes/process.ts';
import { sendJson } from '../support/stories.ts';

const ROUNDS = 4;
/** A long run reads more between the writes, which take most of the time. */
const READS = RUNS > 1 ? 250 : 20;
const pairs = new CountedPairs();

/** The token is the name of the role. */
function identify({ headers }: Pick<Request, 'headers'>): Caller {
  const role = (headers.get('authorization') ?? headers.get('apikey') ?? 'visitor').replace('Bearer ', '');
  return { role, claims: { ...SELLER, sub: role }, name: role, identity: `token ${role}` };
}

/** Errors of agents have the status 200. */
const REFUSED_AGENT = /^\{"jsonrpc".*"(isError|error)":/;

const asRole = (role: string) => ({ authorization: `Bearer ${role}` });

const YEAR = new Date().getUTCFullYear();
/** Times of writes, hashes of bodies with such times, tokens of agents and signatures of files differ. */
const RANDOM = [
  new RegExp(`${YEAR}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|(\\+|%2B)00:00)`, 'g'),
  /(?<=etag\\":\\"\\\\\\")\w+/g,
  /(?<=The token is )[\da-f]{8}/g,
  /(?<=expires=)\d+&signature=[\w-]+/g,
  /(?<=^private, max-age=)\d+$/g,
];

function withoutRandom(text: string): string {
  return RANDOM.reduce((shown, pattern) => shown.replace(pattern, '…'), text);
}

/** A client of Realtime that follows every change of the tables. */
class Subscriber {
  readonly messages: string[] = [];
  private readonly socket: WebSocket;

  constructor(url: string, role: string, tables: readonly string[]) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0`);
    const config = { postgres_changes: tables.map((table) => ({ event: '*', schema: 'public', table })) };
    const message = { topic: 'realtime:x', event: 'phx_join', ref: '1', payload: { config, access_token: role } };
    this.socket.onmessage = ({ data }) => this.messages.push(withoutRandom(String(data)));
    this.socket.onopen = () => this.socket.send(JSON.stringify(message));
  }

  async has(text: string, count = 1): Promise<void> {
    await until(`${text} in Realtime`, () => this.messages.filter((each) => each.includes(text)).length >= count);
  }

  /** The messages of each table are in order. */
  take(): readonly string[] {
    return this.messages.splice(0).sort();
  }

  close(): void {
    this.socket.close();
  }
}

const FEEDS = [
  '/people',
  '/people?select=id,name&order=name.desc',
  '/product_comments?select=id,name:text,row_id,author',
];
const PRODUCT_FEEDS = [
  '/products?select=id,name,price,image(id,name)',
  '/products?select=id,name,pictures(id,products!image(id))&order=name',
  '/products?select=id,name,groups(name)&name=not.is.null',
];

/** The number of the last position. The rest of an id depends on the time of the change. */
function seqOf({ position = '' }: EventClient): number {
  return Number.parseInt(position, 10);
}

class Pair {
  readonly feeds: EventClient[][] = [];
  readonly subscribers: Subscriber[] = [];
  private readonly tables: readonly string[];

  constructor(
    readonly services: readonly FeedService[],
    readonly engine: string,
    readonly role: string,
  ) {
    this.tables = ['people', 'products', 'product_comments', ...(role === 'seller' ? [] : ['groups'])];
  }

  async follow(): Promise<void> {
    for (const service of this.services) {
      const paths = [...FEEDS, ...PRODUCT_FEEDS.slice(0, this.role === 'seller' ? 2 : 3)];
      this.feeds.push(await Promise.all(paths.map((path) => service.follow(path, asRole(this.role)))));
      const subscriber = new Subscriber(service.url, this.role, this.tables);
      this.subscribers.push(subscriber);
      await subscriber.has('phx_reply');
    }
    this.expectSameEvents('at the beginning');
  }

  /** Waits until every feed and table has sent everything up to the marker. */
  async sync(marker: string): Promise<void> {
    for (const clients of this.feeds) {
      await until(`${marker} in the feeds`, () =>
        clients.every(({ events }) => events.some(({ data }) => data.name === marker)),
      );
    }
    for (const subscriber of this.subscribers) await subscriber.has(`"${marker}"`, this.tables.length);
    this.expectSameEvents(marker);
  }

  private expectSameEvents(when: string): void {
    const [one, other] = this.feeds as [EventClient[], EventClient[]];
    for (const [index, client] of one.entries()) {
      const said = { when, role: this.role, path: client.response!.url.replace(/^.*?:\d+/, '') };
      const [events, others] = [client.take(), other[index]!.take()];
      expect({ ...said, events: others, position: seqOf(other[index]!) }).toEqual({
        ...said,
        events,
        position: seqOf(client),
      });
      expect(JSON.stringify(events)).not.toMatch(SECRET);
      pairs.add(this.engine, 'feed');
    }
    const [messages, others] = this.subscribers.map((each) => each.take());
    expect({ when, role: this.role, messages: others! }).toEqual({ when, role: this.role, messages: messages! });
    pairs.add(this.engine, 'Realtime');
  }

  async expectSame(kind: string, steps: readonly Step[]): Promise<void> {
    let previous = ['', ''];
    for (const { as, request } of steps) {
      const [one, other] = await Promise.all(
        this.services.map((service, index) => this.ask(service, request(index as Database, previous[index]!), as)),
      );
      previous = [one!.text, other!.text];
      const said = { as: as ?? this.role, path: one!.path, ...one!.init };
      if (as === 'admin') {
        expect({ ...said, statuses: [one!.status, other!.status].filter((status) => status > 299) }).toEqual({
          ...said,
          statuses: [],
        });
        continue;
      }
      expect({ ...said, ...other!.shown }).toEqual({ ...said, ...one!.shown });
      const showsSecret = SECRET.test(one!.text) && !SECRET.test(`${one!.path} ${one!.init.body ?? ''}`);
      const problem = one!.status >= 500 || showsSecret ? one!.text : '';
      expect({ ...said, problem }).toEqual({ ...said, problem: '' });
      pairs.add(this.engine, kind, one!.status < 400 && !REFUSED_AGENT.test(one!.text));
    }
  }

  private async ask({ fetch }: FeedService, { path, init }: RoleRequest, as: Step['as']) {
    const own = as === 'nobody' ? {} : asRole(as ?? this.role);
    const response = await fetch(path, { ...init, headers: { ...(init.headers as Record<string, string>), ...own } });
    const { status } = response;
    const text = await response.text();
    const body = withoutRandom(text);
    const varying = body === text ? ['date'] : ['date', 'content-length', 'etag'];
    const headers = [...response.headers]
      .filter(([name]) => !varying.includes(name))
      .map(([name, value]) => [name, withoutRandom(value)]);
    return { path, init, status, text, shown: { status, headers, body } };
  }

  /** Asks as another role. Nobody else may see its answer in a cache. */
  async warm({ request }: Step): Promise<void> {
    const { path, init } = request(0, '');
    if (init.method === 'GET') await this.services[0]!.fetch(path, { headers: asRole('admin') });
  }
}

async function tryPair(pair: Pair, choose: Chooser): Promise<void> {
  const writer = new SecretWriter(choose);
  const times = [new Date().toISOString()];
  const kinds = turnsOf(kindsOf(pair.engine));
  let asked = 0;
  await pair.follow();
  for (let round = 1; round <= ROUNDS; round++) {
    const marker = `marker ${round}`;
    const batch = writer.batch(marker);
    for (const [index, { fetch }] of pair.services.entries()) {
      const written = await fetch('/batch', sendJson('POST', batch(index as 0 | 1), asRole('admin')));
      expect({ status: written.status, text: written.status === 200 || (await written.text()) }).toEqual({
        status: 200,
        text: true,
      });
    }
    await pair.sync(marker);
    times.push(new Date(Date.now() + 1).toISOString());
    await Bun.sleep(2);
    const last = seqOf(pair.feeds[0]![0]!);
    for (let count = 0; count < READS; count++) {
      const kind = kinds[asked++ % kinds.length]!;
      const steps = chooseSteps(kind, { choose, role: pair.role, times, last });
      await pair.expectSame(kind, steps);
      if (count % 8 === 0) await pair.warm(steps[0]!);
      if (count % 8 < 2) await pair.expectSame(kind, steps);
    }
  }
}

/** On PostgreSQL, something else has made a view of the tables. */
const OPEN: Readonly<Record<string, (rows: Rows) => Promise<FeedService>>> = {
  SQLite: async (rows) => serveFeeds(await openDeclaredEngine('SQLite', SECRET_SHOP, rows), SECRET_SHOP, { identify }),
  PostgreSQL: async (rows) =>
    serveFeeds(await openWithView(SECRET_SHOP_WITH_VIEW, rows), SECRET_SHOP_WITH_VIEW, { identify }),
};
const openWithView = openDeclaredPostgresWith(VIEW_OF_OTHERS);

describe.each(['SQLite', 'PostgreSQL'])('%s', (engine) => {
  test.each(SECRET_ROLES)('secrets change no file, change, earlier row or event that %s reads', (role) =>
    fc.assert(
      fc.asyncProperty(fc.gen(), async (generate) => {
        const services = await Promise.all(ROWS.map((rows) => OPEN[engine]!(rows)));
        const pair = new Pair(services, engine, role);
        try {
          await tryPair(pair, chooserOf(generate));
        } finally {
          for (const subscriber of pair.subscribers) subscriber.close();
          await Promise.all(services.map((each) => each.close()));
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    ),
  );

  // A short run has too few of each kind.
  test.if(RUNS > 1)('generated requests of every kind succeed', () => {
    expect(kindsOf(engine).filter((kind) => !pairs.hasSuccessful(engine, kind))).toEqual([]);
  });
});

const ROWS = [secretRows(0), secretRows(1)] as const;
