/** Functions of PostgreSQL, described as `catalogue declare --functions` does, and called at /rpc/<name>. */
import { describe, expect, test } from 'bun:test';
import { differencesIn } from '../../../src/cli/declare/check.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { printCollection, printFunctions } from '../../../src/declare/writer/write.ts';
import { describe as describeCatalogue } from '../../../src/openapi/described.ts';
import { openApiDocument } from '../../../src/openapi/document.ts';
import { typeScriptTypes } from '../../../src/openapi/types.ts';
import { adoptedSchema } from '../../support/engines/adopted.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const shop = adoptedSchema(
  `
  create table clients (id int primary key, name text not null);
  create table orders (id int primary key, client_id int references clients, total int);
  insert into clients values (1, 'Ann'), (2, 'Bob');
  insert into orders values (1, 1, 10), (2, 1, 20), (3, 2, 30);
  create sequence tickets;
  create table "Ann's list" (id int primary key);
  create function lists() returns setof "Ann's list" language sql stable as 'select * from "Ann''s list"';
  create type point2 as (x int, y int);
  create function orders_above(lowest int, highest int default 1000) returns setof orders language sql stable
    as 'select * from orders where total between lowest and highest order by total desc';
  create function one_order(key int) returns orders language sql stable as 'select * from orders where id = key';
  create function add(a int, b int) returns int language sql immutable as 'select a + b';
  create function add(a text, b text, c text) returns text language sql immutable as 'select a || b || c';
  create function same(arg int) returns int language sql as 'select arg';
  create function same(arg text) returns text language sql as 'select arg';
  create function words(variadic list text[]) returns setof text language sql immutable as 'select unnest(list)';
  create function sum_of(variadic list int[] default '{}') returns int language sql immutable as 'select coalesce(sum(each), 0)::int from unnest(list) each';
  create function pairs() returns table (a int, b text) language sql immutable as $$values (1, 'x'), (2, null)$$;
  create function split(pair int, out half int, out rest int) language sql immutable as 'select pair / 2, pair % 2';
  create function a_point() returns point2 language sql immutable as 'select (3, 4)::point2';
  create function whole(json) returns json language sql immutable as 'select $1';
  create function note(text) returns text language sql immutable as 'select upper($1)';
  create function greet() returns text language sql immutable as $$select 'nobody'$$;
  create function greet(text default 'all') returns text language sql immutable as 'select $1';
  create function greet(int default 1) returns int language sql immutable as 'select $1';
  create function hail() returns text language sql immutable as $$select 'nobody'$$;
  create function hail(text) returns text language sql immutable as 'select $1';
  create function ticket() returns int language sql as $$select nextval('tickets')::int$$;
  create function raise_total(key int) returns void language sql as 'update orders set total = total + 1 where id = key';
  create function clear(lowest int) returns setof orders language sql as 'delete from orders where total >= lowest returning *';
  create function fail() returns void language plpgsql as $$begin
    raise sqlstate 'PGRST' using message = '{"code": "paid", "message": "Pay first"}', detail = '{"status": 402, "headers": {"X-Price": "5"}}';
  end$$;
  create function deny(state text) returns void language plpgsql as $$begin
    raise exception 'Not for you' using errcode = state;
  end$$;
  create function teapot() returns text language plpgsql as $$begin
    perform set_config('response.status', '418', true);
    perform set_config('response.headers', '[{"X-Kind": "tea"}]', true);
    return current_setting('request.method') || ' ' || current_setting('request.path');
  end$$;
  create domain "text/html" as text;
  create domain "image/gif" as bytea;
  create function page() returns "text/html" language sql stable as $$select '<p>Shop</p>'$$;
  create function dot() returns "image/gif" language sql stable as $$select '\\x474946'::bytea$$;
  create function many(count int) returns setof int language sql stable as 'select generate_series(1, count)';
  create function copies(count int, size int) returns setof text language sql as
    $$select repeat('x', size) from generate_series(1, count)$$;
  create function on_row(orders) returns int language sql stable as 'select $1.total';
  create function doubled(orders) returns int language sql stable as 'select 2 * $1.total';
  create function label(o orders) returns text language sql stable as $$select 'order ' || o.id$$;
  create function payer(orders) returns setof clients rows 1 language sql stable as 'select * from clients where id = $1.client_id';
  create function large_orders(clients) returns setof orders language sql stable as 'select * from orders where client_id = $1.id and total >= 20';
  create function counting(orders) returns int language sql as $$select nextval('tickets')::int$$;
  create function nameless(int) returns int language sql as 'select $1';
`,
  [
    { name: 'anonymous', isAll: true, rules: [] },
    { name: 'clerk', call: ['orders_above'], rules: [{ collection: 'orders', right: 'read', where: 'total=lt.25' }] },
  ],
);

const post = (name: string, body: unknown, headers = {}) =>
  shop.fetch(`/rpc/${name}`, sendJson('POST', body, headers)).then((response) => response.json());
const rejected = async (path: string, status: number, code: string, init?: RequestInit) =>
  expectRefusal(await shop.fetch(path, init), status, code);

describe('results', () => {
  test('rows of a collection take filters, select, order, limit, embedding and counts', async () => {
    expect(await shop.list('/rpc/orders_above?lowest=15')).toEqual([
      { id: 3, client_id: 2, total: 30 },
      { id: 2, client_id: 1, total: 20 },
    ]);
    expect(await shop.list('/rpc/orders_above?lowest=0&select=id,clients(name)&order=id&limit=1&total=lt.30')).toEqual([
      { id: 1, clients: { name: 'Ann' } },
    ]);
    expect(await post('orders_above?select=id,clients!inner()&clients.name=eq.Bob', { lowest: 0 })).toEqual([
      { id: 3 },
    ]);
    const counted = await shop.fetch('/rpc/orders_above?lowest=0&highest=25&limit=1', {
      headers: { prefer: 'count=exact' },
    });
    expect([counted.status, counted.headers.get('content-range'), await counted.json()]).toEqual([
      206,
      '0-0/2',
      [{ id: 2, client_id: 1, total: 20 }],
    ]);
    expect(await shop.list('/rpc/orders_above?lowest=0&select=total.sum()')).toEqual([{ sum: 60 }]);
  });

  test('a row, columns, values and nothing', async () => {
    expect(await shop.list('/rpc/one_order?key=2&select=total')).toEqual({ total: 20 });
    expect(await shop.list('/rpc/one_order?key=2&total=gt.50')).toBe(null);
    expect(await shop.list('/rpc/a_point')).toEqual({ x: 3, y: 4 });
    expect(await shop.list('/rpc/pairs?b=is.null')).toEqual([{ a: 2, b: null }]);
    expect(await shop.list('/rpc/split?pair=7')).toEqual({ half: 3, rest: 1 });
    expect(await shop.list('/rpc/add?a=1&b=2')).toBe(3);
    expect(await shop.list('/rpc/words?list=a&list=b')).toEqual(['a', 'b']);
    const nothing = await shop.fetch('/rpc/raise_total', sendJson('POST', { key: 99 }));
    expect([nothing.status, await nothing.text()]).toEqual([204, '']);
    const csv = await shop.fetch('/rpc/pairs', { headers: { accept: 'text/csv' } });
    expect(await csv.text()).toBe('a,b\n1,x\n2,\n');
  });

  test('a value of a media type is the body, if the client accepts it', async () => {
    const page = await shop.fetch('/rpc/page', { headers: { accept: 'text/html,*/*;q=0.5' } });
    expect([page.headers.get('content-type'), await page.text()]).toEqual(['text/html; charset=utf-8', '<p>Shop</p>']);
    const json = await shop.fetch('/rpc/page', { headers: { accept: 'application/json' } });
    expect(await json.text()).toBe('"<p>Shop</p>"');
    const dot = await shop.fetch('/rpc/dot');
    expect([dot.headers.get('content-type'), await dot.text()]).toEqual(['image/gif', 'GIF']);
    await rejected('/rpc/page', 406, 'PGRST107', { headers: { accept: 'text/xml' } });
  });

  test('a large result of a read-only function is streamed whole', async () => {
    const response = await shop.fetch('/rpc/many?count=5000', { headers: { prefer: 'count=exact' } });
    expect(response.headers.get('content-range')).toBe('0-4999/5000');
    expect(((await response.json()) as number[]).at(-1)).toBe(5000);
  });

  test('a function that may change data returns rows of any length, up to 8 MiB', async () => {
    const copies = (count: number, size: number) => shop.fetch('/rpc/copies', sendJson('POST', { count, size }));
    for (const [count, size] of [
      [1, 200],
      [1, 1_000_000],
      [1_000, 200],
      [50_000, 100],
    ] as const) {
      const response = await copies(count, size);
      expect([response.status, ((await response.json()) as string[]).join('').length]).toEqual([200, count * size]);
    }
    await expectRefusal(await copies(50_000, 200), 400, '54000');
    await expectRefusal(await copies(1, 9_000_000), 400, '54000');
  });
});

describe('arguments', () => {
  test('names choose among functions of one name; defaults apply', async () => {
    expect(await post('add', { a: 'x', b: 'y', c: 'z' })).toBe('xyz');
    expect(await post('words', { list: ['a', 'b'] })).toEqual(['a', 'b']);
    expect(await post('orders_above?select=id', { lowest: 25, highest: null })).toEqual([]);
    expect((await rejected('/rpc/add?a=1', 404, 'PGRST202')).hint).toBe('Call add(a, b) or add(a, b, c).');
    expect((await rejected('/rpc/same?arg=1', 300, 'PGRST203')).message).toContain(
      'same(arg => integer), same(arg => text)',
    );
    await rejected('/rpc/add?a=1&b=two', 400, '22P02');
    expect(await shop.list('/rpc/sum_of')).toBe(0);
    expect((await rejected('/rpc/words', 404, 'PGRST202')).hint).toBe('Call words(list).');
  });

  test('one parameter without a name takes the whole body', async () => {
    expect(await post('whole', { any: [1, 'thing'] })).toEqual({ any: [1, 'thing'] });
    expect(await post('whole', [1, 2])).toEqual([1, 2]);
    const text = await shop.fetch('/rpc/note', send('POST', 'text/plain', 'loud'));
    expect(await text.json()).toBe('LOUD');
    await rejected('/rpc/whole', 404, 'PGRST202', send('POST', 'text/plain', 'x'));
  });

  test('a call without arguments is ambiguous if the parameter without a name has a default', async () => {
    const { message } = await rejected('/rpc/greet', 300, 'PGRST203', sendJson('POST', {}));
    expect(message).toEndWith('between: greet(), greet( => text)');
    await rejected('/rpc/greet', 300, 'PGRST203');
    const text = await shop.fetch('/rpc/greet', send('POST', 'text/plain', 'Ann'));
    expect([await text.json(), await post('hail', {})]).toEqual(['Ann', 'nobody']);
  });

  test('an error about an unknown function names the arguments', async () => {
    const { message, details } = await rejected('/rpc/nothing', 404, 'PGRST202', sendJson('POST', { a: 1, b: 2 }));
    expect([message, details]).toEqual([
      'Could not find the function nothing(a, b) in the schema cache',
      'Searched for the function nothing with parameters a, b or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.',
    ]);
  });
});

describe('transactions', () => {
  test('GET cannot change data; POST can, unless it fails or is a dry run', async () => {
    await rejected('/rpc/ticket', 405, '25006');
    await rejected('/rpc/raise_total?key=1', 405, '25006');
    await post('clear', { lowest: 0 }, { prefer: 'tx=rollback' });
    await rejected(
      '/rpc/clear',
      400,
      'PGRST124',
      sendJson('POST', { lowest: 0 }, { prefer: 'handling=strict, max-affected=1' }),
    );
    await rejected(
      '/rpc/clear',
      406,
      'PGRST116',
      sendJson('POST', { lowest: 0 }, { accept: 'application/vnd.pgrst.object+json' }),
    );
    await rejected('/rpc/clear', 400, 'PGRST127', sendJson('POST', { lowest: 0 }, { 'idempotency-key': 'once' }));
    expect(await shop.list('/orders?select=id')).toHaveLength(3);
    await shop.fetch('/rpc/raise_total', sendJson('POST', { key: 1 }));
    expect(await shop.list('/orders?id=eq.1&select=total')).toEqual([{ total: 11 }]);
    expect(await post('clear?select=id', { lowest: 1000 }, { prefer: 'count=exact' })).toEqual([]);
  });

  test('a counted page calls the function once', async () => {
    const first = (await post('ticket', {})) as number;
    await post('ticket?limit=1', {}, { prefer: 'count=exact' });
    expect(await post('ticket', {})).toBe(first + 2);
  });

  test('a function chooses the status, the headers and the error', async () => {
    const answer = await shop.fetch('/rpc/teapot');
    expect([answer.status, answer.headers.get('x-kind'), await answer.json()]).toEqual([418, 'tea', 'GET /rpc/teapot']);
    const failed = await shop.fetch('/rpc/fail', { method: 'POST' });
    expect([failed.status, failed.headers.get('x-price')]).toEqual([402, '5']);
    expect(await failed.json()).toMatchObject({ code: 'paid', message: 'Pay first' });
  });

  test.each(['28000', '0L000', '0P000'])(
    'a function that denies access with SQLSTATE %s answers 403',
    async (state) => {
      const denied = await shop.fetch('/rpc/deny', { method: 'POST', body: JSON.stringify({ state }) });
      expect([denied.status, await denied.json()]).toMatchObject([403, { code: state, message: 'Not for you' }]);
    },
  );
});

describe('functions of a row', () => {
  test('a computed field is selected, filtered and ordered by its name, and is not part of *', async () => {
    expect(await shop.list('/orders?id=eq.2')).toEqual([{ id: 2, client_id: 1, total: 20 }]);
    expect(await shop.list('/orders?select=id,doubled,label&doubled=gte.40&order=doubled.desc&limit=1')).toEqual([
      { id: 3, doubled: 60, label: 'order 3' },
    ]);
    expect(await shop.list('/orders?select=label&id=in.(2,3)&order=id')).toEqual([
      { label: 'order 2' },
      { label: 'order 3' },
    ]);
    expect(await shop.list('/clients?select=name,orders(doubled)&orders.doubled=gt.40&id=eq.2')).toEqual([
      { name: 'Bob', orders: [{ doubled: 60 }] },
    ]);
    expect(await shop.list('/rpc/orders_above?lowest=30&select=doubled')).toEqual([{ doubled: 60 }]);
    expect(await shop.list('/orders?select=doubled.max()')).toEqual([{ max: 60 }]);
    const changed = sendJson('PATCH', { total: 30 }, { prefer: 'return=representation' });
    expect(await (await shop.fetch('/orders?id=eq.3&select=doubled', changed)).json()).toEqual([{ doubled: 60 }]);
    const read = shop.fetch('/orders?select=doubled', { headers: { 'x-role': 'clerk' } });
    expect(await (await read).json()).toEqual([{ doubled: 22 }, { doubled: 40 }]);
  });

  test('a read cannot change data by it', async () => {
    await rejected('/orders?select=counting', 405, '25006');
    await rejected('/clients?orders.counting=gt.0&select=orders!inner(id)', 405, '25006');
  });

  test('a computed reference is embedded, filtered and ordered', async () => {
    expect(await shop.list('/orders?select=id,payer(name)&order=payer(name).desc,id&limit=2')).toEqual([
      { id: 3, payer: { name: 'Bob' } },
      { id: 1, payer: { name: 'Ann' } },
    ]);
    expect(await shop.list('/clients?select=name,big:large_orders!inner(id,payer(name))&big.id=eq.2')).toEqual([
      { name: 'Ann', big: [{ id: 2, payer: { name: 'Ann' } }] },
    ]);
    expect(await shop.list('/orders?select=...payer(name)&id=eq.3')).toEqual([{ name: 'Bob' }]);
    const hidden = shop.fetch('/orders?select=payer(name)', { headers: { 'x-role': 'clerk' } });
    await expectRefusal(await hidden, 400, 'PGRST200');
  });
});

describe('declaration', () => {
  const declared = () => ({
    collections: shop.described().collections.map(({ draft }) => draft),
    functions: shop.described().functions ?? [],
  });

  test('declare writes the functions, and names those without a way to call them', () => {
    const { collections, functions } = declared();
    const text = [
      'collections:',
      ...collections.map((draft) => printCollection(draft)),
      'functions:',
      ...printFunctions(functions),
    ];
    expect(parseDeclaration(text.join('\n'), 'collections.yaml').functions).toEqual([...functions]);
    expect(shop.described().leftOut).toContain('function nameless(integer): a parameter has no name');
  });

  test('declare --check finds functions that differ from the database', () => {
    const { collections, functions } = declared();
    expect(differencesIn('c.yaml', { collections, functions }, shop.described())).toEqual([]);
    const changed = functions.map((each) =>
      each.name === 'ticket' ? { ...each, volatility: 'stable' as const } : each,
    );
    const gone = { name: 'gone', parameters: [{ name: 'a', type: 'int4' }], volatility: 'volatile' } as const;
    expect(differencesIn('c.yaml', { collections, functions: [...changed, gone] }, shop.described())).toEqual([
      'function ticket: other parameters or results in the database',
      'function gone: not in the database',
    ]);
  });

  test('OpenAPI and types describe them', () => {
    const catalogue = declareCatalogue(declared());
    const { paths } = openApiDocument(describeCatalogue({ catalogue, rows: () => [] }));
    expect(Object.keys(paths as object)).toContain('/rpc/orders_above');
    const types = typeScriptTypes(catalogue);
    expect(types).toContain(`      split: {
        Args: {
          pair: number | null;
        };
        Returns: { half: number | null; rest: number | null };
      };`);
    expect(types).toContain('Returns: undefined;');
    expect(types).toContain('          doubled?: number | null;\n');
    expect(types).toContain(`Returns: Database['public']['Tables']['Ann\\'s list']['Row'][];`);
  });

  test('a role needs call, and its rules apply to rows of a collection', async () => {
    const clerk = { headers: { 'x-role': 'clerk' } };
    expect(await (await shop.fetch('/rpc/orders_above?lowest=0&select=id', clerk)).json()).toEqual([
      { id: 2 },
      { id: 1 },
    ]);
    await expectRefusal(await shop.fetch('/rpc/add?a=1&b=2', clerk), 403, '42501');
    // A function decides by the claims itself, so that nobody may choose them.
    await rejected('/rpc/add?a=1&b=2', 401, '42501', { headers: { 'x-as-claims': '{"sub":"ann"}' } });
    await expectRefusal(await shop.fetch('/rpc/orders_above?lowest=0&select=*,clients(*)', clerk), 403, '42501');
  });
});
