/**
 * Rows that references or the time hide change no byte of a response and no event. Two databases that differ only in
 * such rows give the same answers to every request of a role, writes, the log and feeds included.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type FeedService, serveFeeds } from '../support/engines/feed-service.ts';
import { identify } from '../support/engines/roles.ts';
import { openDeclaredEngine } from '../support/engines/shop.ts';
import { CountedPairs, kindOf } from '../support/generated/counted-pairs.ts';
import { type Chooser, chooserOf } from '../support/generated/embedding-requests.ts';
import { RUNS } from '../support/generated/generators.ts';
import {
  choosePathRequest,
  chooseWrites,
  PATH_ROLES,
  PATH_SECRETS,
  pathRows,
} from '../support/generated/hidden-paths.ts';
import type { RoleRequest } from '../support/generated/role-requests.ts';
import type { EventClient } from '../support/network/event-stream.ts';
import { until } from '../support/processes/process.ts';
import { sendJson } from '../support/stories.ts';

const ROUNDS = 2;
const REQUESTS = RUNS > 1 ? 120 : 25;
const SECRET = /secret/;
const pairs = new CountedPairs();

type Role = keyof typeof PATH_ROLES;
const headersOf = (role: Role): Record<string, string> =>
  role === 'anonymous' ? {} : { 'x-role': role, 'x-claims': JSON.stringify(PATH_ROLES[role]) };

const FEEDS = ['/products?select=id,name,prices(id,amount)', '/prices?select=id,amount,products(name)'];
const OWN_FEEDS = ['/order_lines', '/orders?select=id,order_lines(quantity)'];

async function expectSame({ engine, services }: Pair, role: Role, request: RoleRequest): Promise<void> {
  const { path, init } = request;
  const answers: { readonly status: number; readonly [part: string]: unknown }[] = [];
  for (const { fetch } of services) {
    const headers = { ...(init.headers as Record<string, string>), ...headersOf(role) };
    const response = await fetch(path, { ...init, headers });
    const shown = [...response.headers].filter(([name]) => name !== 'date');
    const text = await response.text();
    answers.push({
      status: response.status,
      headers: shown,
      text,
      isFault: response.status >= 500,
      isSecret: SECRET.test(text),
    });
  }
  const said = { role, path, ...init };
  expect({ ...said, answer: answers[1] }).toEqual({ ...said, answer: answers[0] });
  const isAsked = SECRET.test(path);
  expect({ ...said, ...answers[0]! }).toMatchObject({
    isFault: false,
    ...(isAsked ? {} : { isSecret: false }),
  });
  pairs.add(engine, kindOf(request), answers[0]!.status < 400);
}

function expectSameEvents(engine: string, [one, other]: readonly (readonly EventClient[])[]): void {
  for (const [at, client] of one!.entries()) {
    const [events, others] = [client.take(), other![at]!.take()];
    expect(others).toEqual(events);
    expect(JSON.stringify(events)).not.toMatch(SECRET);
    pairs.add(engine, 'feed');
  }
}

interface Pair {
  readonly engine: string;
  readonly services: readonly FeedService[];
}

async function tryRole(pair: Pair, role: Role, choose: Chooser): Promise<void> {
  const { engine, services } = pair;
  const paths = role === 'customer' ? [...FEEDS, ...OWN_FEEDS] : FEEDS;
  const feeds = await Promise.all(
    services.map((each) => Promise.all(paths.map((path) => each.follow(path, headersOf(role))))),
  );
  expectSameEvents(engine, feeds);
  for (let round = 0; round < ROUNDS; round++) {
    const marker = `marker ${round}`;
    const writes = chooseWrites(choose, marker);
    for (const [version, { fetch }] of services.entries()) {
      const response = await fetch('/batch', sendJson('POST', writes(version), { 'x-role': 'admin' }));
      expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 200 });
    }
    for (const [first] of feeds)
      await until(marker, () => first!.events.some(({ data }) => data.name === marker) || first!.isEnded);
    for (let count = 0; count < REQUESTS; count++) await expectSame(pair, role, choosePathRequest(choose, role));
  }
  for (const { fetch } of services) {
    const last = sendJson('PATCH', { name: 'the end' }, { 'x-role': 'admin' });
    expect((await fetch('/products?id=in.(1,2)', last)).status).toBe(204);
  }
  for (const clients of feeds) {
    await until('the end', () => clients.slice(0, 2).every(({ text }) => text.includes('the end')));
  }
  for (const clients of feeds) for (const client of clients) expect(client.contradictions).toEqual([]);
  const rowsOf = (clients: readonly EventClient[]) => clients.map(({ rows }) => [...rows].sort());
  await until('the same rows', () => Bun.deepEquals(rowsOf(feeds[0]!), rowsOf(feeds[1]!)));
}

describe.each(['SQLite', 'PostgreSQL'])('%s', (engine) => {
  test.each(Object.keys(PATH_ROLES) as Role[])('rows hidden from %s by references or the time change nothing', (role) =>
    fc.assert(
      fc.asyncProperty(fc.gen(), async (generate) => {
        const choose = chooserOf(generate);
        const services: FeedService[] = [];
        for (const rows of [pathRows(choose), pathRows(choose)]) {
          services.push(serveFeeds(await openDeclaredEngine(engine, PATH_SECRETS, rows), PATH_SECRETS, { identify }));
        }
        try {
          await tryRole({ engine, services }, role, choose);
        } finally {
          await Promise.all(services.map((each) => each.close()));
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    ),
  );
});
