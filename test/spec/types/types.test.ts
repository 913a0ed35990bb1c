/** Field types: accepted values, their form in JSON and CSV, and rejected values, equal on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MAX_ECHOED_LENGTH } from '../../../src/base/limits/http.ts';
import { typeScriptTypes } from '../../../src/openapi/types.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared, openShop, SHOP, thingsOf } from '../../support/engines/shop.ts';
import { expectRefusal, send, sendJson } from '../../support/stories.ts';

const TYPES = {
  small: 'int2',
  whole: 'int4',
  big: 'int8',
  price: 'decimal(12,4)',
  exact: 'decimal(18,6)',
  single: 'float4',
  double: 'float8',
  word: 'text',
  flag: 'boolean',
  day: 'date',
  clock: 'time',
  stamp: 'timestamp',
  moment: 'timestamptz',
  uid: 'uuid',
  doc: 'json',
  words: 'text[]',
  numbers: 'int4[]',
  prices: 'decimal(12,4)[]',
  flags: 'boolean[]',
  moments: 'timestamptz[]',
  docs: 'json[]',
};
type FieldName = keyof typeof TYPES;

/** The value in a body, in JSON, and in CSV if the text differs. */
const TAKEN: readonly (readonly [FieldName, string, string, string?])[] = [
  ['small', '-32768', '-32768'],
  ['small', '" +7 "', '7'],
  ['big', '9223372036854775807', '9223372036854775807'],
  ['big', '"-9007199254740993"', '-9007199254740993'],
  ['exact', '123456789012.345678', '123456789012.345678'],
  ['exact', '-0.0000005', '-0.000001'],
  ['exact', '"1e-6"', '0.000001'],
  ['exact', '10.100', '10.1'],
  ['price', '0.00005', '0.0001'],
  ['double', '0.30000000000000004', '0.30000000000000004'],
  ['double', '1e-7', '1e-07'],
  ['double', '1e300', '1e+300'],
  ['double', '-12.125', '-12.125'],
  ['double', '0.0001', '0.0001'],
  ['double', '0.00009', '9e-05'],
  ['double', '999999999999999', '999999999999999'],
  ['double', '1e15', '1e+15'],
  ['double', '12345678901234.5', '12345678901234.5'],
  ['double', '"NaN"', '"NaN"', 'NaN'],
  ['double', '"-infinity"', '"-Infinity"', '-Infinity'],
  ['single', '0.1', '0.1'],
  ['single', '-0.0625', '-0.0625'],
  ['single', '0.00009', '9e-05'],
  ['single', '123456', '123456'],
  ['single', '1000000', '1e+06'],
  ['single', '16777217', '1.6777216e+07'],
  // A power of two, whose previous neighbour is closer than the next.
  ['single', '1.2621775e-29', '1.2621775e-29'],
  ['double', '5.684341886080802e-14', '5.684341886080802e-14'],
  // Halfway between two numbers: other parsers might read the neighbour.
  ['double', '1e23', '9.999999999999999e+22'],
  ['flag', '"yes"', 'true', 't'],
  ['flag', '0', 'false', 'f'],
  ['flag', '"OFF"', 'false', 'f'],
  ['day', '"2024-6-1"', '"2024-06-01"', '2024-06-01'],
  ['day', '"20240601"', '"2024-06-01"', '2024-06-01'],
  ['day', '"2024/06/01"', '"2024-06-01"', '2024-06-01'],
  ['day', '"2024-06-01T23:00:00-05:00"', '"2024-06-01"', '2024-06-01'],
  ['day', '"epoch"', '"1970-01-01"', '1970-01-01'],
  ['day', '"0001-01-01"', '"0001-01-01"', '0001-01-01'],
  ['day', '" Infinity "', '"infinity"', 'infinity'],
  ['clock', '"10:00"', '"10:00:00"', '10:00:00'],
  ['clock', '"1:2:3.5000"', '"01:02:03.5"', '01:02:03.5'],
  ['clock', '"2024-06-01 10:00+02"', '"10:00:00"', '10:00:00'],
  ['clock', '"23:59:60"', '"24:00:00"', '24:00:00'],
  ['clock', '"allballs"', '"00:00:00"', '00:00:00'],
  ['stamp', '"2024-06-01 10:00+02"', '"2024-06-01T10:00:00"', '2024-06-01 10:00:00'],
  ['stamp', '"2024-02-28 24:00:00"', '"2024-02-29T00:00:00"', '2024-02-29 00:00:00'],
  ['moment', '"2024-06-01"', '"2024-06-01T00:00:00+00:00"', '2024-06-01 00:00:00+00'],
  ['moment', '"2024-06-01t10:00z"', '"2024-06-01T10:00:00+00:00"', '2024-06-01 10:00:00+00'],
  ['moment', '"2024-06-01 10:00:00.5 +02"', '"2024-06-01T08:00:00.5+00:00"', '2024-06-01 08:00:00.5+00'],
  ['moment', '"2024-06-01T10:00:00+02:30:15"', '"2024-06-01T07:29:45+00:00"', '2024-06-01 07:29:45+00'],
  ['moment', '"2024-01-01T00:00:00+0530"', '"2023-12-31T18:30:00+00:00"', '2023-12-31 18:30:00+00'],
  ['moment', '"20240601T100000Z"', '"2024-06-01T10:00:00+00:00"', '2024-06-01 10:00:00+00'],
  ['moment', '"2024-06-01 10:00:00.1234565"', '"2024-06-01T10:00:00.123456+00:00"', '2024-06-01 10:00:00.123456+00'],
  ['moment', '"2024-06-01 10:00:00.1234575"', '"2024-06-01T10:00:00.123458+00:00"', '2024-06-01 10:00:00.123458+00'],
  ['moment', '"2024-12-31 23:59:59.9999999"', '"2025-01-01T00:00:00+00:00"', '2025-01-01 00:00:00+00'],
  ['moment', '"2016-12-31 23:59:60Z"', '"2017-01-01T00:00:00+00:00"', '2017-01-01 00:00:00+00'],
  ['moment', '"-infinity"', '"-infinity"', '-infinity'],
  [
    'uid',
    '"{528C039B-7FA2-468D-8D94-4093699C839D}"',
    '"528c039b-7fa2-468d-8d94-4093699c839d"',
    '528c039b-7fa2-468d-8d94-4093699c839d',
  ],
  [
    'uid',
    '"528c039b7fa2468d8d944093699c839d"',
    '"528c039b-7fa2-468d-8d94-4093699c839d"',
    '528c039b-7fa2-468d-8d94-4093699c839d',
  ],
  ['doc', '{"bb":1.0,"a":[1e2,null,{"c":"\\u00e9"}],"b":true}', '{"a": [100, null, {"c": "é"}], "b": true, "bb": 1.0}'],
  ['doc', '{"a":1,"a":2}', '{"a": 2}'],
  ['doc', '12345678901234567890.10', '12345678901234567890.10'],
  ['doc', '"text"', '"text"'],
  ['doc', '[]', '[]'],
  [
    'words',
    '["a","b c","d\\"e","",null,"null","f\\\\g"]',
    '["a","b c","d\\"e","",null,"null","f\\\\g"]',
    '{a,"b c","d\\"e","",NULL,"null","f\\\\g"}',
  ],
  ['words', '"{x, y z ,\\"q\\",NULL}"', '["x","y z","q",null]', '{x,"y z",q,NULL}'],
  ['words', '[1,true,{"a":2}]', '["1","true","{\\"a\\": 2}"]', '{1,true,"{\\"a\\": 2}"}'],
  ['words', '[1,[2]]', '["1","[2]"]', '{1,[2]}'],
  ['words', '[[]]', '[]', '{}'],
  ['numbers', '[[1,2],[3,4]]', '[[1,2],[3,4]]', '{{1,2},{3,4}}'],
  ['numbers', '"{{1,2},{3,4}}"', '[[1,2],[3,4]]', '{{1,2},{3,4}}'],
  ['numbers', '["7",null]', '[7,null]', '{7,NULL}'],
  ['prices', '[1.50,2.00005,"3"]', '[1.5,2.0001,3]', '{1.5,2.0001,3}'],
  ['flags', '["t",0]', '[true,false]', '{t,f}'],
  ['moments', '["2024-06-01 10:00+02"]', '["2024-06-01T08:00:00+00:00"]', '{"2024-06-01 08:00:00+00"}'],
  ['docs', '[{"b":1,"a":2},"x",1.0]', '[{"a": 2, "b": 1},"x",1.0]', '{"{\\"a\\": 2, \\"b\\": 1}","\\"x\\"",1.0}'],
];

const REFUSED: readonly (readonly [FieldName, string, string])[] = [
  ['small', '32768', '22003'],
  ['small', '1.0', '22P02'],
  ['big', '9223372036854775808', '22003'],
  ['big', '1e3', '22P02'],
  ['whole', '"21474836470.5"', '22003'],
  ['whole', '"2147483647.5"', '22P02'],
  ['exact', '1000000000000', '22003'],
  ['exact', '"Infinity"', '22003'],
  ['exact', '1e131073', '22003'],
  ['double', '1e400', '22003'],
  ['double', '1e-400', '22003'],
  ['double', '"1,5"', '22P02'],
  ['single', '1e39', '22003'],
  ['flag', '"maybe"', '22P02'],
  ['flag', '2', '22P02'],
  ['day', '"2024-02-30"', '22008'],
  ['day', '"2023-02-29"', '22008'],
  ['day', '"2024-13-01"', '22008'],
  ['day', '"0000-01-01"', '22008'],
  ['day', '"10000-01-01"', '22008'],
  ['day', '"28/02/2024"', '22008'],
  ['day', '"02/28/2024"', '22008'],
  ['day', '"2024-06"', '22007'],
  ['day', '"January 8, 1999"', '22007'],
  ['day', '"2024-06-01 BC"', '22007'],
  ['day', '""', '22007'],
  ['day', '5', '22007'],
  ['clock', '"25:00"', '22008'],
  ['clock', '"10:60"', '22008'],
  ['clock', '"24:00:00.1"', '22008'],
  ['clock', '"infinity"', '22007'],
  ['clock', '"2024-06-01"', '22007'],
  ['stamp', '"2024-06-01 23:59:60.5"', '22008'],
  ['stamp', '"noon"', '22007'],
  ['moment', '"2024-06-01 10"', '22007'],
  ['moment', '"2024-06-01 10:00 PM"', '22007'],
  ['moment', '"2024-06-01 10:00 Europe/Berlin"', '22007'],
  ['moment', '"2024-06-01 10:00+16"', '22009'],
  ['moment', '"9999-12-31 23:59:59-01"', '22008'],
  ['moment', '"0001-01-01 00:00:00+01"', '22008'],
  ['uid', '"528c039b"', '22P02'],
  ['uid', '"{528c039b-7fa2-468d-8d94-4093699c839d"', '22P02'],
  ['uid', '"528c039b--7fa2-468d-8d94-4093699c839d"', '22P02'],
  ['doc', '"a\\u0000b"', '22021'],
  ['doc', '[1e9999,1e9999]', '22003'],
  ['doc', `${'['.repeat(101)}${']'.repeat(101)}`, '54000'],
  ['words', '"a,b"', '22P02'],
  ['words', '"{a"', '22P02'],
  ['words', '"{a,,b}"', '22P02'],
  ['words', '"{a}b"', '22P02'],
  ['words', '"{\\"a\\"b}"', '22P02'],
  ['words', '"{{a},b}"', '22P02'],
  ['words', '"[0:1]={a,b}"', '22P02'],
  ['words', '{"a":1}', '22P02'],
  ['words', '5', '22P02'],
  ['words', '[["a"],"b"]', '22P02'],
  ['numbers', '[[1,2],[3]]', '22P02'],
  ['numbers', '["x"]', '22P02'],
  ['numbers', '[3000000000]', '22003'],
  ['numbers', '[[[[[[[1]]]]]]]', '54000'],
  ['docs', '"{\\"[1]\\"}"', '22P02'],
];

describe.each(TWO_ENGINES)('a field on %s', (engine) => {
  let things: Catalogue;
  beforeAll(async () => {
    things = await openDeclared(engine, thingsOf(TYPES));
  });
  afterAll(async () => {
    expect(await things.list('/things')).toEqual([]);
    await things.close();
  });

  const DRY = { prefer: 'return=representation,tx=rollback' };
  const post = (field: string, written: string, headers: Record<string, string> = {}) =>
    things.fetch(
      `/things?select=${field}`,
      send('POST', 'application/json', `{"id":1,"${field}":${written}}`, { ...DRY, ...headers }),
    );

  test.each(TAKEN)('%s accepts %s and returns %s', async (field, written, shown, csv = shown) => {
    expect(await (await post(field, written)).text()).toBe(`[{"${field}":${shown}}]`);
    const cell = (await (await post(field, written, { accept: 'text/csv' })).text()).slice(field.length + 1, -1);
    expect(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell).toBe(csv);
  });

  test.each(REFUSED)('%s rejects %s with %s', async (field, written, code) => {
    const { details } = await expectRefusal(await post(field, written), 400, code);
    expect(details).toStartWith(`field ${field}: `);
  });

  test.each(REFUSED.filter(([, written]) => written.startsWith('"') && !written.includes('u0000')))(
    'a filter on %s rejects %s with %s, unless it compares with a value that cannot be stored',
    async (field, written, code) => {
      const text = encodeURIComponent(JSON.parse(written) as string);
      const response = await things.fetch(`/things?${field}=eq.${text}`);
      // decimal(18,6) cannot store Infinity, but every decimal compares as smaller.
      if (written === '"Infinity"') expect(response.status).toBe(200);
      else await expectRefusal(response, 400, code);
    },
  );

  test.each(['day', 'stamp', 'moment'])('%s accepts the word now in a body and in a filter', async (field) => {
    const [row] = (await (await post(field, '"now"')).json()) as [Record<string, string>];
    const shown = row[field]!;
    const at = new Date(field === 'stamp' ? `${shown}Z` : shown).getTime();
    expect(Math.abs(at - Date.now())).toBeLessThan(2 * 86_400_000);
    expect((await things.fetch(`/things?${field}=lte.now`)).status).toBe(200);
  });

  test('a number of several megabytes is rejected quickly', async () => {
    const digits = '9'.repeat(2_000_000);
    for (const field of ['small', 'big', 'price', 'exact']) {
      const { message } = await expectRefusal(await post(field, `"${digits}"`), 400, '22003');
      expect(message.length).toBeLessThanOrEqual(MAX_ECHOED_LENGTH);
      await expectRefusal(await post(field, digits), 400, '54000');
    }
  });
});

describe.each(TWO_ENGINES)('every digit is preserved on %s', (engine) => {
  let things: Catalogue;
  const ROWS = [
    '{"id":1,"big":9007199254740993,"exact":123456789012.345678,"long":9000000000000,"bigs":[9007199254740993],"doc":{"n":9007199254740993}}',
    '{"id":2,"big":9007199254740992,"exact":123456789012.345677,"long":9000000000001,"bigs":[9007199254740992],"doc":{"n":9007199254740992}}',
    '{"id":3,"big":-9223372036854775808,"exact":-999999999999.999999,"long":null,"bigs":[],"doc":{"n":1}}',
  ];
  beforeAll(async () => {
    const types = { big: 'int8', exact: 'decimal(18,6)', long: 'decimal(18,5)', bigs: 'int8[]', doc: 'json' };
    things = await openDeclared(engine, thingsOf(types));
    const stored = await things.fetch('/things', send('POST', 'application/json', `[${ROWS.join(',')}]`));
    expect(stored.status).toBe(201);
  });
  afterAll(() => things.close());

  test.each([
    ['big=eq.9007199254740993', '[{"id":1}]'],
    ['big=in.(9007199254740993,5)', '[{"id":1}]'],
    ['big=lt.9007199254740993&big=gt.0', '[{"id":2}]'],
    ['bigs=cs.{9007199254740993}', '[{"id":1}]'],
    ['doc->n=eq.9007199254740993', '[{"id":1}]'],
    ['doc->>n=eq.9007199254740993', '[{"id":1}]'],
    ['exact=eq.123456789012.345678', '[{"id":1}]'],
    ['exact=in.(123456789012.345677,1)', '[{"id":2}]'],
    ['exact=gt.123456789012.3456775', '[{"id":1}]'],
    ['exact=eq.123456789012.3456775', '[]'],
  ])('in a filter: %s', async (filter, found) => {
    expect(await (await things.fetch(`/things?select=id&${filter}`)).text()).toBe(found);
  });

  test.each([
    ['big,exact&id=eq.1', '[{"big":9007199254740993,"exact":123456789012.345678}]'],
    ['big.sum(),exact.sum()&id=lt.3', '[{"sum":246913578024.691355}]'],
    ['b:big.sum(),e:exact.sum()&id=lt.3', '[{"b":18014398509481985,"e":246913578024.691355}]'],
    ['big.max(),least:exact.min()', '[{"max":9007199254740993,"least":-999999999999.999999}]'],
    ['big.avg()&id=lt.3', '[{"avg":9007199254740992.5000}]'],
    ['long.avg(),long.sum()', '[{"avg":9000000000000.50000,"sum":18000000000001}]'],
    ['big::text,e:exact::text&id=eq.2', '[{"big":"9007199254740992","e":"123456789012.345677"}]'],
    ['doc->n,bigs->0&id=eq.1', '[{"n":9007199254740993,"bigs":9007199254740993}]'],
  ])('in a response: select=%s', async (select, shown) => {
    expect(await (await things.fetch(`/things?select=${select}`)).text()).toBe(shown);
  });

  test('in CSV, and in an update', async () => {
    const csv = await things.fetch('/things?select=big,exact,bigs&id=eq.1', { headers: { accept: 'text/csv' } });
    expect(await csv.text()).toBe('big,exact,bigs\n9007199254740993,123456789012.345678,{9007199254740993}\n');
    const change = '{"big":9007199254740995}';
    const init = send('PATCH', 'application/json', change, { prefer: 'return=representation,tx=rollback' });
    expect(await (await things.fetch('/things?id=eq.1&select=big', init)).text()).toBe('[{"big":9007199254740995}]');
  });
});

describe.each(TWO_ENGINES)('a key beyond 2^53 on %s', (engine) => {
  test('is assigned, returned in Location, read, updated and used for paging with all its digits', async () => {
    const shop = await openShop(engine);
    const move = { product_id: 1, quantity: 2 };
    const chosen = send('POST', 'application/json', '{"id":9007199254750993,"product_id":1,"quantity":2}');
    expect((await shop.fetch('/stock_moves', chosen)).headers.get('location')).toBe(
      '/stock_moves?id=eq.9007199254750993',
    );
    for (const [prefer, id] of [
      ['return=minimal', '9007199254750994'],
      ['return=representation', '9007199254750995'],
    ] as const) {
      const response = await shop.fetch('/stock_moves?select=id', sendJson('POST', move, { prefer }));
      expect(response.headers.get('location')).toBe(`/stock_moves?id=eq.${id}`);
      expect(await response.text()).toBe(prefer === 'return=minimal' ? '' : `[{"id":${id}}]`);
    }
    const page = await shop.fetch('/stock_moves?select=id&order=id.desc&limit=2');
    expect(await page.text()).toBe('[{"id":9007199254750995},{"id":9007199254750994}]');
    expect(page.headers.get('link')).toContain('id.lt.9007199254750994');
    const path = '/stock_moves/9007199254750993';
    const etag = (await shop.fetch(path)).headers.get('etag')!;
    const change = sendJson('PATCH', { quantity: 3 }, { 'if-match': etag, prefer: 'return=representation' });
    expect(await (await shop.fetch(`${path}?select=id,quantity`, change)).text()).toBe(
      '[{"id":9007199254750993,"quantity":3}]',
    );
    const each = send('PATCH', 'application/json', '[{"id":9007199254750994,"quantity":4}]', {
      prefer: 'return=representation',
    });
    expect(await (await shop.fetch('/stock_moves?select=id,quantity', each)).text()).toBe(
      '[{"id":9007199254750994,"quantity":4}]',
    );
    await shop.close();
  });
});

describe.each(TWO_ENGINES)('a cast on %s', (engine) => {
  let things: Catalogue;
  beforeAll(async () => {
    things = await openDeclared(engine, thingsOf(TYPES));
    const row = {
      id: 1,
      whole: 70000,
      price: 2.5,
      double: 0.30000000000000004,
      single: 0.1,
      word: '12',
      flag: true,
      day: '2024-06-01',
      clock: '10:00',
      stamp: '2024-06-01T10:00:00.5',
      moment: '2024-06-01T10:00:00.5+00:00',
      uid: '528c039b-7fa2-468d-8d94-4093699c839d',
      doc: { n: 2.5, yes: true, text: 'a', none: null, list: [1] },
      words: ['1', '2'],
      prices: [1.5, 2.5],
      flags: [true, null],
    };
    await things.fetch('/things', sendJson('POST', row));
  });
  afterAll(() => things.close());

  test.each([
    ['whole::boolean', 'true'],
    ['whole::float8', '70000'],
    ['price::int4', '3'],
    ['double::int4', '0'],
    ['double::numeric', '0.3'],
    ['double::text', '"0.30000000000000004"'],
    ['single::float8', '0.10000000149011612'],
    ['single::numeric', '0.1'],
    ['word::int4', '12'],
    ['word::json', '12'],
    ['flag::text', '"true"'],
    ['flag::int', '1'],
    ['day::timestamptz', '"2024-06-01T00:00:00+00:00"'],
    ['day::timestamp', '"2024-06-01T00:00:00"'],
    ['stamp::date', '"2024-06-01"'],
    ['stamp::time', '"10:00:00.5"'],
    ['stamp::timestamptz', '"2024-06-01T10:00:00.5+00:00"'],
    ['moment::time', '"10:00:00.5"'],
    ['moment::timestamp', '"2024-06-01T10:00:00.5"'],
    ['moment::text', '"2024-06-01 10:00:00.5+00"'],
    ['uid::text', '"528c039b-7fa2-468d-8d94-4093699c839d"'],
    ['doc->n::int4', '3'],
    ['doc->n::numeric', '2.5'],
    ['doc->n::text', '"2.5"'],
    ['doc->yes::boolean', 'true'],
    ['doc->none::int4', 'null'],
    ['doc->nope::int4', 'null'],
    ['doc->list::text', '"[1]"'],
    ['words::_int4', '[1,2]'],
    ['words::text', '"{1,2}"'],
    ['prices::_int4', '[2,3]'],
    ['prices::_text', '["1.5","2.5"]'],
    ['flags::_text', '["true",null]'],
    ['flags::text', '"{t,NULL}"'],
  ])('%s gives %s', async (select, shown) => {
    expect(await (await things.fetch(`/things?select=v:${select}`)).text()).toBe(`[{"v":${shown}}]`);
  });

  test.each([
    ['whole::int2', '22003'],
    ['whole::date', '42846'],
    ['price::boolean', '42846'],
    ['double::boolean', '42846'],
    ['flag::int8', '42846'],
    ['flag::json', '42846'],
    ['day::time', '42846'],
    ['clock::timestamp', '42846'],
    ['uid::json', '42846'],
    ['doc::uuid', '42846'],
    ['doc::date', '42846'],
    ['doc->text::int4', '22023'],
    ['doc->n::boolean', '22023'],
    ['doc->list::float8', '22023'],
    ['word::date', '22007'],
    ['word::uuid', '22P02'],
    ['word::_text', '22P02'],
    ['words::json', '42846'],
    ['flags::_numeric', '42846'],
    ['word::money', '42704'],
    ['day.sum()', '42883'],
    ['uid.max()', '42883'],
    ['doc.min()', '42883'],
    ['flag.avg()', '42883'],
  ])('%s is rejected with %s', async (select, code) => {
    await expectRefusal(await things.fetch(`/things?select=v:${select}`), 400, code);
  });
});

describe.each(TWO_ENGINES)('pages on %s', (engine) => {
  let shop: Catalogue;
  beforeAll(async () => {
    shop = await openShop(engine);
  });
  afterAll(() => shop.close());

  const next = (response: Response) => /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];

  test.each(SHOP.collections.get('products')!.fields.map(({ name }) => name))(
    'ordered by %s are connected by their links',
    async (field) => {
      for (const order of [field, `${field}.desc.nullslast`]) {
        const all = (await shop.list(`/products?select=id&order=${order}`)).map(({ id }) => id);
        const met: unknown[] = [];
        let path: string | undefined = `/products?select=id&order=${order}&limit=20`;
        for (let pages = 0; path !== undefined && pages < 6; pages++) {
          const response = await shop.fetch(path);
          met.push(...((await response.json()) as { id: number }[]).map(({ id }) => id));
          path = next(response);
        }
        expect({ order, met }).toEqual({ order, met: all });
      }
    },
  );
});

test('the generated client types declare Json once and the type of each field', () => {
  const types = typeScriptTypes(SHOP);
  expect(types.match(/export type Json =/g)).toHaveLength(1);
  for (const member of [
    'tags: string[] | null;',
    'attributes: Json | null;',
    'barcode: number | null;',
    'released: string | null;',
  ]) {
    expect(types).toContain(member);
  }
});
