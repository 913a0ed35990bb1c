/**
 * Secrets change no byte of the files, the log, earlier rows, feeds and Realtime. Two databases get the same writes
 * except for secrets, and give the same responses and events to every role.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Caller } from '../../src/collection/access/caller.ts';
import { type FeedService, serveFeeds } from '../support/engines/feed-service.ts';
import { openDeclaredEngine } from '../support/engines/shop.ts';
import { type Chooser, chooserOf } from '../support/generated/embedding-requests.ts';
import { RUNS } from '../support/generated/generators.ts';
import {
  chooseSecretRead,
  SECRET,
  SECRET_ROLES,
  SECRET_SHOP,
  SELLER,
  SecretWriter,
  secretRows,
} from '../support/generated/hidden-history.ts';
import type { RoleRequest } from '../support/generated/role-requests.ts';
import type { EventClient } from '../support/network/event-stream.ts';
import { until } from '../support/processes/process.ts';
import { sendJson } from '../support/stories.ts';

const ROUNDS = 4;
/** A long run reads more between the writes, which take most of the time. */
const READS = RUNS > 1 ? 400 : 20;
let pairs = 0;
afterAll(() => {
  if (RUNS > 1) console.log(`${pairs} pairs of responses and events were equal`);
});

/** The token is the name of the role. */
function identify({ headers }: Pick<Request, 'headers'>): Caller {
  const role = (headers.get('authorization') ?? headers.get('apikey') ?? 'visitor').replace('Bearer ', '');
  return { role, claims: { ...SELLER, sub: role }, name: role, identity: `token ${role}` };
}

const asRole = (role: string) => ({ authorization: `Bearer ${role}` });

/** A client of Realtime that follows every change of the tables. */
class Subscriber {
  readonly messages: string[] = [];
  private readonly socket: WebSocket;

  constructor(url: string, role: string, tables: readonly string[]) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/realtime/v1/websocket?vsn=1.0.0`);
    const config = { postgres_changes: tables.map((table) => ({ event: '*', schema: 'public', table })) };
    const message = { topic: 'realtime:x', event: 'phx_join', ref: '1', payload: { config, access_token: role } };
    this.socket.onmessage = ({ data }) =>
      this.messages.push(String(data).replace(/"commit_timestamp":"[^"]*"/, '"commit_timestamp":""'));
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

const FEEDS = ['/people', '/people?select=id,name&order=name.desc'];
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
    readonly role: string,
  ) {
    this.tables = ['people', 'products', ...(role === 'seller' ? [] : ['groups'])];
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
      pairs++;
    }
    const [messages, others] = this.subscribers.map((each) => each.take());
    expect({ when, role: this.role, messages: others! }).toEqual({ when, role: this.role, messages: messages! });
    pairs++;
  }

  async expectSame(request: RoleRequest): Promise<void> {
    const ask = async ({ fetch }: FeedService) => {
      const headers = { ...(request.init.headers as Record<string, string>), ...asRole(this.role) };
      const response = await fetch(request.path, { ...request.init, headers });
      const shown = [...response.headers].filter(([name]) => name !== 'date');
      return { status: response.status, headers: shown, body: await response.text() };
    };
    const [one, other] = await Promise.all(this.services.map(ask));
    const said = { role: this.role, path: request.path, ...request.init };
    expect({ ...said, ...other! }).toEqual({ ...said, ...one! });
    const showsSecret = SECRET.test(one!.body) && !SECRET.test(request.path);
    expect({ ...said, isFault: one!.status >= 500, showsSecret }).toEqual({
      ...said,
      isFault: false,
      showsSecret: false,
    });
    pairs++;
  }
}

async function tryPair(pair: Pair, choose: Chooser): Promise<void> {
  const writer = new SecretWriter(choose);
  const times = [new Date().toISOString()];
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
      const request = chooseSecretRead(choose, times, last);
      await pair.expectSame(request);
      // A cached response of another role must not be seen.
      if (count % 8 === 0) await pair.services[0]!.fetch(request.path, { headers: asRole('admin') });
      if (count % 8 < 2) await pair.expectSame(request);
    }
  }
}

describe.each(['SQLite', 'PostgreSQL'])('%s', (engine) => {
  test.each(SECRET_ROLES)('secrets change no file, change, earlier row or event that %s reads', (role) =>
    fc.assert(
      fc.asyncProperty(fc.gen(), async (generate) => {
        const services = await Promise.all(
          ([0, 1] as const).map(async (database) =>
            serveFeeds(await openDeclaredEngine(engine, SECRET_SHOP, ROWS[database]), SECRET_SHOP, { identify }),
          ),
        );
        const pair = new Pair(services, role);
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
});

const ROWS = [secretRows(0), secretRows(1)] as const;
