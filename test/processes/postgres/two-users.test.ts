/**
 * Two users of a database in the style of Supabase, on two instances that read from a standby: neither sees, changes or
 * notices the rows of the other. Ann sends each request to two schemas, and Bob works in one of them. Her answers are
 * equal.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createClient } from '@supabase/supabase-js';
import { SQL } from 'bun';
import { SignJWT } from 'jose';
import { newServer, newStandby, type OwnServer } from '../../support/engines/postgres.ts';
import { RUNS, seededRandom } from '../../support/generated/runs.ts';
import { cleanUp, type Service, startService, temporaryFolder } from '../../support/processes/process.ts';

const SECRET = 'a secret of at least thirty-two bytes';
const [ANN, BOB] = ['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222'] as const;
const REQUESTS = 50 * RUNS;

const schemaSql = (schema: string) => `create schema ${schema}; set search_path to ${schema};
  create table notes (id text primary key, body text not null, rank int, owner uuid not null default auth.uid());
  create table tags (id text primary key, note_id text references notes on delete cascade, label text, owner uuid not null default auth.uid());
  alter table notes enable row level security; alter table tags enable row level security;
  create policy own on notes to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
  create policy own on tags to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
  create function total() returns bigint language sql stable as $$ select count(*) from ${schema}.notes $$;
  create view ranked with (security_invoker) as select id, rank from notes;
  grant usage on schema ${schema} to anon, authenticated;
  grant all on all tables in schema ${schema} to authenticated;`;
const SQL_OF_ALL = `create role anon; create role authenticated; create role authenticator login noinherit password 'secret';
  grant anon, authenticated to authenticator; create schema auth; grant usage on schema auth to anon, authenticated;
  create function auth.uid() returns uuid language sql stable as
    $$ select nullif(current_setting('request.jwt.claims', true)::json ->> 'sub', '')::uuid $$;
  ${schemaSql('shared')} ${schemaSql('alone')}`;

let servers: readonly OwnServer[];
let services: readonly Service[];
const tokens = new Map<string, string>();

beforeAll(async () => {
  const primary = await newServer();
  const admin = new SQL(primary.url, { max: 1 });
  await admin.unsafe(SQL_OF_ALL);
  await admin.close();
  const standby = await newStandby(primary);
  servers = [standby, primary];
  const urlOf = ({ url }: OwnServer) =>
    Object.assign(new URL(url), { username: 'authenticator', password: 'secret' }).href;
  const start = () =>
    startService({
      cwd: temporaryFolder(),
      args: [
        '--database-roles',
        '--anonymous-role',
        'anon',
        '--schemas',
        'shared,alone',
        '--replica-reads',
        'any',
        '--pool-size',
        '3',
      ],
      env: {
        DATABASE_URL: urlOf(primary),
        DATABASE_REPLICA_URLS: urlOf(standby),
        CATALOGUE_JWT_SECRET: SECRET,
      },
    });
  services = [await start(), await start()];
  for (const sub of [ANN, BOB]) {
    const token = new SignJWT({ role: 'authenticated', sub }).setProtectedHeader({ alg: 'HS256' });
    tokens.set(sub, await token.sign(new TextEncoder().encode(SECRET)));
  }
});
afterAll(async () => {
  await cleanUp();
  for (const server of servers) await server.stop();
});

test('each user of supabase-js sees and writes only their rows, on both instances', async () => {
  const clientOf = (sub: string, service: Service) =>
    createClient(service.url, tokens.get(sub)!, { db: { schema: 'shared' as 'public' } }).from('notes');
  for (const [sub, id] of [
    [ANN, 'a-first'],
    [BOB, 'b-first'],
  ] as const) {
    const created = await clientOf(sub, services[0]!).insert({ id, body: 'mine' }).select().single();
    expect(created).toMatchObject({ error: null, data: { id, owner: sub } });
    const changed = await clientOf(sub, services[1]!).update({ body: 'changed' }).neq('id', '').select('id');
    expect(changed.data).toEqual([{ id }]);
  }
  const stolen = await clientOf(BOB, services[1]!).update({ body: 'stolen' }).eq('id', 'a-first').select();
  expect(stolen.data).toEqual([]);
  expect((await clientOf(BOB, services[0]!).insert({ id: 'forged', body: 'x', owner: ANN })).status).toBe(403);
  expect((await clientOf(BOB, services[0]!).delete().neq('id', '').select('id')).data).toEqual([{ id: 'b-first' }]);
  expect((await clientOf(ANN, services[0]!).delete().eq('id', 'a-first').select('body')).data).toEqual([
    { body: 'changed' },
  ]);
});

describe('noninterference', () => {
  const random = seededRandom();
  const below = (most: number) => Math.floor(random() * most);
  const oneOf = <T>(values: readonly T[]): T => values[below(values.length)]!;
  /** A user chooses the ids of their rows, and may name those of the other. */
  const anyId = () => `${oneOf(['a', 'b'])}-${below(12)}`;
  const filter = () =>
    oneOf([
      () => `id=eq.${anyId()}`,
      () => `id=in.(${anyId()},${anyId()},${anyId()})`,
      () => `rank=gt.${below(8)}`,
      () => `body=like.*${oneOf(['x', 'y', 'z'])}*`,
      () => `or=(rank.is.null,id.eq.${anyId()})`,
      () => 'id=neq.none',
    ])();
  const read = () => {
    const select = oneOf([
      '*',
      'id,rank',
      'id,tags(label)',
      'count()',
      'rank,count()',
      'id,tags!inner(id)',
      'rank.max()',
    ]);
    const page = oneOf(['', '&limit=3', '&limit=2&offset=1', '&order=rank.desc.nullslast,id']);
    const count = oneOf([undefined, 'count=exact', 'count=planned', 'count=estimated']);
    return { method: 'GET', path: `/notes?select=${select}&${filter()}${page}`, prefer: count };
  };
  const rowOf = (prefix: string) => ({ id: `${prefix}-${below(12)}`, body: oneOf(['x', 'xy', 'yz']), rank: below(9) });
  const write = (prefix: string) => {
    const prefer = `return=representation,${oneOf(['count=exact', 'resolution=merge-duplicates', 'handling=strict'])}`;
    return oneOf([
      () => ({ method: 'POST', path: '/notes', body: rowOf(prefix), prefer }),
      () => ({ method: 'POST', path: '/notes', body: [rowOf(prefix), rowOf(prefix)], prefer: 'return=representation' }),
      () => ({
        method: 'POST',
        path: '/tags',
        body: { id: `${prefix}-${below(12)}`, note_id: `${prefix}-${below(12)}`, label: 'red' },
        prefer,
      }),
      () => ({ method: 'PATCH', path: `/notes?${filter()}`, body: { rank: below(9) }, prefer }),
      () => ({ method: 'DELETE', path: `/notes?${filter()}`, prefer }),
      () => {
        const row = rowOf(prefix);
        return { method: 'PUT', path: `/notes?id=eq.${row.id}`, body: row, prefer: 'return=representation' };
      },
    ])();
  };
  const anyRequest = (prefix: string) =>
    oneOf<() => Sent>([
      read,
      read,
      () => write(prefix),
      () => ({ method: 'GET', path: `/${oneOf(['ranked', 'tags', 'rpc/total', 'notes'])}` }),
    ])();

  interface Sent {
    readonly method: string;
    readonly path: string;
    readonly body?: object;
    readonly prefer?: string | undefined;
  }

  /** The last write of each user: the standby must have it. */
  const positions = new Map<string, string>();
  async function answer(sub: string, schema: string, service: Service, { method, path, body, prefer }: Sent) {
    const position = positions.get(sub);
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tokens.get(sub)}`,
        'accept-profile': schema,
        'content-profile': schema,
        ...(prefer === undefined ? {} : { prefer }),
        ...(position === undefined ? {} : { 'catalogue-position': position }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error) => {
      throw new Error(
        `${error}: ${service.hasExited() ? 'the service ended' : 'it runs'}: ${service.stderr().slice(-4000)}`,
      );
    });
    const written = response.headers.get('catalogue-position');
    if (written !== null) positions.set(sub, written);
    const { status, headers } = response;
    expect(status).toBeLessThan(500);
    const shown = ['content-range', 'location', 'etag', 'preference-applied'].map((name) => headers.get(name));
    return { status, shown, body: await response.text() };
  }

  test(`the answers to ${REQUESTS} requests of one user do not depend on those of the other`, async () => {
    for (let round = 0; round < REQUESTS; round++) {
      const others = Array.from({ length: below(3) }, () => answer(BOB, 'shared', oneOf(services), anyRequest('b')));
      const sent = anyRequest('a');
      const service = oneOf(services);
      const [shared, alone] = [await answer(ANN, 'shared', service, sent), await answer(ANN, 'alone', service, sent)];
      expect({ sent, ...shared }).toEqual({ sent, ...alone });
      await Promise.all(others);
    }
  });
});
