/** The named limits: a request within a limit succeeds, and a request over it gets a 4xx error that names the limit. */
import { describe, expect, test } from 'bun:test';
import {
  MAX_CONDITIONS,
  MAX_ECHOED_LENGTH,
  MAX_LIST_VALUES,
  MAX_LOGIC_DEPTH,
  MAX_TERMS,
  MAX_URL_LENGTH,
} from '../../../src/base/limits/http.ts';
import { TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { expectRefusal, ids, type ProblemBody, send, sendJson, sharedCatalogue } from '../../support/stories.ts';

const times = (count: number, text: (index: number) => string, joiner = ',') =>
  Array.from({ length: count }, (_, index) => text(index)).join(joiner);

describe.each(TWO_ENGINES)('limits on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);
  const expectTooMany = async (path: string, limit: number) => {
    const { message } = await expectRefusal(await catalogue.fetch(path), 400, '54000');
    expect(message).toContain(String(limit));
  };

  describe('the length of a URL', () => {
    const ofLength = (length: number) => '/products?product_name=eq.'.padEnd(length, 'x');

    test('up to the limit it is accepted', async () => {
      const response = await catalogue.fetch(ofLength(MAX_URL_LENGTH));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual([]);
    });

    test('one character longer: 414, for every method', async () => {
      const { message } = await expectRefusal(await catalogue.fetch(ofLength(MAX_URL_LENGTH + 1)), 414, 'CAT414');
      expect(message).toContain(String(MAX_URL_LENGTH));
      const removal = await catalogue.fetch(ofLength(MAX_URL_LENGTH + 1), { method: 'DELETE' });
      await expectRefusal(removal, 414, 'CAT414');
    });
  });

  describe('the number of conditions', () => {
    const filters = (count: number) => `/products?${times(count, (index) => `id=neq.${index + 2}`, '&')}`;
    const tree = (count: number) => `/products?or=(${times(count, (index) => `id.eq.${index + 70}`)})`;

    test('up to the limit all of them apply, as filters and in a tree', async () => {
      expect(ids(await catalogue.list(filters(MAX_CONDITIONS)))).toEqual([1]);
      expect(ids(await catalogue.list(tree(MAX_CONDITIONS)))).toEqual([70, 71, 72, 73, 74, 75, 76, 77]);
    });

    test('one more: 400, as filters, in a tree, and combined', async () => {
      await expectTooMany(filters(MAX_CONDITIONS + 1), MAX_CONDITIONS);
      await expectTooMany(tree(MAX_CONDITIONS + 1), MAX_CONDITIONS);
      await expectTooMany(`${tree(MAX_CONDITIONS)}&id=eq.1`, MAX_CONDITIONS);
    });

    test('as many as fit in a URL are rejected before all of them are parsed', async () => {
      await expectTooMany(`/products?or=(${times(45_000, () => 'id.is.null')})`, MAX_CONDITIONS);
      await expectTooMany(`/products?or=(${times(45_000, () => 'id.is.null')}`, MAX_CONDITIONS);
    });
  });

  describe('an error', () => {
    const digits = '9'.repeat(3_000_000);
    const word = 'w'.repeat(3_000_000);
    const refused = async (path: string, init?: RequestInit) => {
      const text = await (await catalogue.fetch(path, init)).text();
      expect(text.length).toBeLessThan(3 * MAX_ECHOED_LENGTH + 100);
      return JSON.parse(text) as ProblemBody;
    };

    test('repeats only the beginning and the end of a long value', async () => {
      const tooLarge = await refused('/products', sendJson('POST', { product_name: 'Tea', reorder_level: digits }));
      expect(tooLarge).toMatchObject({
        code: '22003',
        message: expect.stringContaining('out of range for type integer'),
      });
      expect(tooLarge.details).toStartWith('field reorder_level: value "999');
      const noNumber = await refused('/products?id=lt.3', sendJson('PATCH', { unit_price: word }));
      expect(noNumber.message).toStartWith('invalid input syntax for type numeric: "www');
      const noField = await refused('/products', sendJson('POST', { [word]: 1 }));
      expect(noField).toMatchObject({ code: 'PGRST204', message: expect.stringContaining("column of 'products'") });
    });

    test('repeats only part of a long URL', async () => {
      for (const query of ['id=', 'id=eq.', 'order=', 'select=', 'limit=', 'or=(', 'product_name=match.(']) {
        await refused(`/products?${query}${'w'.repeat(400_000)}`);
      }
    });
  });

  // Each parameter is split once. A previous version searched the remaining text for every parameter, which took
  // minutes.
  test('two million parameters are split in linear time', async () => {
    const form = (count: number) => send('POST', 'application/x-www-form-urlencoded', 'a&'.repeat(count));
    await expectRefusal(await catalogue.fetch('/products', form(40_000)), 400, 'PGRST204');
    await expectRefusal(await catalogue.fetch('/products', form(2 * 1024 * 1024)), 400, '54000');
    await expectRefusal(await catalogue.fetch(`/products?${'a&'.repeat(250_000)}`), 400, '54000');
  });

  // A previous version searched for the closing quote from every quote, which took minutes.
  test('an unterminated quoted name is scanned once', async () => {
    await expectRefusal(await catalogue.fetch(`/products?a."${'%5C"'.repeat(60_000)}=eq.1`), 400, 'PGRST100');
  });

  describe('regular expressions', () => {
    const either = (count: number, expression: (index: number) => string) =>
      `/products?or=(${times(count, (index) => `product_name.imatch.${encodeURIComponent(`"${expression(index)}"`)}`)})`;

    test('up to the number of conditions all of them apply', async () => {
      const words = either(MAX_CONDITIONS - 1, (index) => `nothing like it ${index}`).replace('or=(', 'or=(id.eq.5,');
      expect(ids(await catalogue.list(words))).toEqual([5]);
    });

    test('an expression over the length limit is rejected before it is parsed', async () => {
      await expectRefusal(await catalogue.fetch(`/products?product_name=match.${'['.repeat(400_000)}`), 400, '2201B');
      await expectRefusal(await catalogue.fetch(`/products?product_name=match.${'%5Cw'.repeat(60_000)}`), 400, '2201B');
    });

    // PostgreSQL compiles regular expressions in its own process, so they do not block the event loop.
    if (engine === 'SQLite') {
      test('many with large repetition bounds: 400; a few of them work', async () => {
        const refused = await catalogue.fetch(either(400, (index) => `((abcdefgh${index}){100}){8}`));
        const { message } = await expectRefusal(refused, 400, '2201B');
        expect(message).toContain('too complex');
        expect(ids(await catalogue.list(either(3, (index) => `((abcdefgh${index}){100}){8}|Chai`)))).toEqual([1]);
      });
    }
  });

  describe('the values in a list', () => {
    const inList = (count: number) => `/products?id=in.(${times(count, (index) => String(index + 75))})`;
    const anyList = (field: string, operator: string, count: number) =>
      `/products?${field}=${operator}(any).{${times(count, (index) => String(index + 75))}}`;

    test('up to the limit each value is looked up, with in and with any', async () => {
      expect(ids(await catalogue.list(inList(MAX_LIST_VALUES)))).toEqual([75, 76, 77]);
      expect(ids(await catalogue.list(anyList('id', 'eq', MAX_LIST_VALUES)))).toEqual([75, 76, 77]);
    });

    test('one more: 400', async () => {
      await expectTooMany(inList(MAX_LIST_VALUES + 1), MAX_LIST_VALUES);
      await expectTooMany(anyList('id', 'eq', MAX_LIST_VALUES + 1), MAX_LIST_VALUES);
    });

    test.each(['gt', 'like', 'ilike', 'match', 'imatch'])(
      'each value of %s(any) and (all) counts as a condition',
      async (operator) => {
        const field = operator === 'gt' ? 'id' : 'product_name';
        for (const quantifier of ['any', 'all']) {
          const withValues = (count: number) => anyList(field, operator, count).replace('(any)', `(${quantifier})`);
          expect((await catalogue.fetch(withValues(MAX_CONDITIONS))).status).toBe(200);
          await expectTooMany(withValues(MAX_CONDITIONS + 1), MAX_CONDITIONS);
          await expectTooMany(withValues(MAX_LIST_VALUES), MAX_CONDITIONS);
        }
      },
    );

    test('the values of several lists count together, also in a tree', async () => {
      const list = `id.lt(any).{${times(100, (index) => String(index - 90))}}`;
      expect(ids(await catalogue.list(`/products?and=(${times(5, () => list)})`))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      await expectTooMany(`/products?and=(${times(5, () => list)},id.gt.0)`, MAX_CONDITIONS);
    });

    test('500 lists of 200 values each are looked up', async () => {
      const lists = times(MAX_CONDITIONS, () => `id=in.(${times(200, String)})`, '&');
      expect(await catalogue.list(`/products?${lists}`)).toHaveLength(77);
    });
  });

  test('32 negations of a search in a row are accepted, and no more', async () => {
    const negated = (count: number) => `product_name=fts.${'!'.repeat(count)}(${'!'.repeat(32)}chai)`;
    expect(ids(await catalogue.list(`/products?${negated(32)}`))).toEqual([1]);
    await expectRefusal(await catalogue.fetch(`/products?${negated(33)}`), 400, '54000');
    await expectRefusal(await catalogue.fetch(`/products?product_name=wfts.${'-'.repeat(33)}chai`), 400, '54000');
  });

  describe('the depth of and(…) and or(…)', () => {
    const nested = (depth: number) => `/products?or=${'(and'.repeat(depth - 1)}(id.eq.4)${')'.repeat(depth - 1)}`;

    test('up to the limit it is accepted', async () => {
      expect(ids(await catalogue.list(nested(MAX_LOGIC_DEPTH)))).toEqual([4]);
    });

    test('one level deeper, and a hundred thousand levels deeper: 400', async () => {
      await expectTooMany(nested(MAX_LOGIC_DEPTH + 1), MAX_LOGIC_DEPTH);
      await expectTooMany(nested(80_000), MAX_LOGIC_DEPTH);
    });
  });

  describe('the fields in select and order', () => {
    const selected = (count: number) => `/products?id=eq.9&select=${times(count, (index) => `f${index}:id`)}`;
    const ordered = (count: number) => `/products?id=lt.3&order=${times(count, () => 'id.desc')}`;

    test('up to the limit they are accepted', async () => {
      const [row] = await catalogue.list(selected(MAX_TERMS));
      expect(Object.values(row!)).toEqual(Array(MAX_TERMS).fill(9));
      expect(ids(await catalogue.list(ordered(MAX_TERMS)))).toEqual([2, 1]);
    });

    test('one more: 400', async () => {
      await expectTooMany(selected(MAX_TERMS + 1), MAX_TERMS);
      await expectTooMany(ordered(MAX_TERMS + 1), MAX_TERMS);
    });
  });
});
