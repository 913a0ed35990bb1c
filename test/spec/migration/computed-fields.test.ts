/** Computed fields in a changed declaration: they are computed for all rows, again with another expression. */
import { describe, expect, test } from 'bun:test';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { PLACES } from '../../support/engines/declared.ts';

const declared = (fields: string) =>
  parseDeclaration(`collections: { products: { fields: { id: int4, ${fields} } } }`, 'collections.yaml');
const PRICES = "price: 'decimal(12,2)', cost: 'decimal(12,2)'";
const MARGIN = "margin: { type: 'decimal(12,2)', computed: price - cost, unique: true, indexed: true }";
const ROWS = [
  { id: 1, price: 5, cost: 1.25 },
  { id: 2, price: 5, cost: 2 },
];

describe.each(Object.keys(PLACES))('computed fields on %s', (engine) => {
  test('are added, changed, follow renamed fields, and become ordinary fields', async () => {
    const place = PLACES[engine]!();
    const during = async (fields: string, expected: readonly object[] | undefined, allowed?: readonly string[]) => {
      const shop = await place.open({ ...declared(fields), ...(allowed && { allowed }) });
      try {
        if (expected === undefined) await shop.post('products', ROWS);
        else expect(await shop.list('/products?order=id')).toEqual(expected as never);
        return await shop.fetch('/products?id=eq.2', {
          method: 'PATCH',
          body: '{"cost":2}',
          headers: { 'content-type': 'application/json' },
        });
      } finally {
        await shop.close();
      }
    };
    const of = (name: string, ...values: readonly unknown[]) => ROWS.map((row, at) => ({ ...row, [name]: values[at] }));
    await during(PRICES, undefined);
    expect((await during(`${PRICES}, ${MARGIN}`, of('margin', 3.75, 3))).status).toBe(204);
    expect((await place.plan(declared(`${PRICES}, ${MARGIN}`))).steps).toEqual([]);
    await during(`${PRICES}, ${MARGIN.replace('price - cost', 'cost - price')}`, of('margin', -3.75, -3));
    const renamed = `amount: { type: 'decimal(12,2)', was: price }, cost: 'decimal(12,2)'`;
    const moved = ROWS.map(({ id, price, cost }) => ({ id, amount: price, cost, margin: 2 * (price - cost) }));
    await during(`${renamed}, ${MARGIN.replace('price - cost', '2 * (amount - cost)')}`, moved);
    const wider = `amount: 'decimal(14,3)', cost: 'decimal(12,2)'`;
    const permissions = ['convert:products.amount'];
    await during(`${wider}, ${MARGIN.replace('price - cost', '2 * (amount - cost)')}`, moved, permissions);
    await during(`${wider}, margin: 'decimal(12,2)'`, moved);
    // An ordinary field that becomes computed loses its values.
    const back = declared(`${wider}, ${MARGIN.replace('price - cost', 'amount - cost')}`);
    const [problem] = (await place.plan(back)).problems;
    expect(problem).toMatchObject({
      words: 'products.margin becomes computed, and 2 rows have a value',
      allow: 'drop:products.margin',
    });
    const last = ROWS.map(({ id, price, cost }) => ({ id, amount: price, cost, margin: price - cost }));
    await during(`${wider}, ${MARGIN.replace('price - cost', 'amount - cost')}`, last, ['drop:products.margin']);
    // Its values follow from others, so no permission is needed.
    await during(
      wider,
      last.map(({ margin: _, ...row }) => row),
    );
  });

  test('without decimal results are computed for writes of other programs as well', async () => {
    const place = PLACES[engine]!();
    const computed = {
      low: 'boolean, computed: stock < 2 * reorder_level or price > 99.5',
      label: "text, computed: coalesce(name, '?') || ', ' || case when stock = 0 then 'out' else 'there' end",
      filled: "int4, computed: 'filled(name, price, tags) * 25 - length(name)'",
      total: 'int8, computed: abs(stock - reorder_level) * 10',
      since: "date, computed: coalesce(day, '2026-01-31')",
      late: "boolean, computed: day >= '2026-02-01' and not gone is null",
    };
    const fields = Object.entries(computed).map(([name, each]) => `${name}: { type: ${each} }`);
    const own =
      "name: text, stock: int4, reorder_level: int4, price: 'decimal(6,2)', tags: 'text[]', day: date, gone: boolean";
    const shop = await place.open(
      declared(`${own}, ${fields.join(', ').replaceAll(/computed: ([^'][^}]*) \}/g, 'computed: "$1" }')}`),
    );
    await place.ask(
      "insert into products (id, name, stock, reorder_level, price, day, gone) values (1, 'Ä', 3, 2, 99.51, null, true), (2, null, 0, -2147483648, 99.5, '2026-02-01', null)",
    );
    if (engine === 'SQLite') await place.ask('vacuum');
    expect(await shop.list(`/products?select=${Object.keys(computed)}&order=id`)).toEqual([
      { low: true, label: 'Ä, there', filled: 49, total: 10, since: '2026-01-31', late: null },
      { low: false, label: '?, out', filled: null, total: 21474836480, since: '2026-02-01', late: false },
    ]);
    await shop.close();
  });

  test('become ordinary while a field that they used is dropped or converted', async () => {
    const place = PLACES[engine]!();
    const double = 'double: { type: int4, computed: 2 * stock }, half: { type: int4, computed: weight / 2 }';
    const shop = await place.open(declared(`stock: int4, weight: int4, ${double}`));
    await shop.post('products', [{ id: 1, stock: 3, weight: 8 }]);
    await shop.close();
    const allowed = ['drop:products.stock', 'convert:products.weight', 'convert:products.half'];
    const later = await place.open({ ...declared('weight: int8, double: int4, half: int8'), allowed });
    expect(await later.list('/products')).toEqual([{ id: 1, weight: 8, double: 6, half: 4 }]);
    await later.close();
  });

  test('are searched by their new words, like converted fields and texts of other collections', async () => {
    const place = PLACES[engine]!();
    const searched = (label: string, code: string, title: string) =>
      parseDeclaration(
        `collections:
  brands: { fields: { id: int4, name: text, title: { type: text, computed: "${title}" } } }
  products:
    fields:
      id: int4
      name: text
      size: text
      ${code}
      brand_id: { type: int4, references: brands }
      label: { type: text, computed: "${label}" }
    search: { fields: { label: 2, brand_id.title: 1${code && ', code: 1'} } }`,
        'collections.yaml',
      );
    const during = async (
      declaration: ReturnType<typeof searched>,
      found: Readonly<Record<string, number>>,
      rows?: readonly object[],
    ) => {
      const shop = await place.open({ ...declaration, allowed: ['convert:products.code', 'drop:products.code'] });
      try {
        if (rows !== undefined) await shop.post('brands', [{ id: 1, name: 'Alpina' }]);
        if (rows !== undefined) await shop.post('products', rows);
        for (const [word, count] of Object.entries(found)) {
          expect([word, await shop.list(`/products?select=id&search=wfts.${word}`)]).toEqual([
            word,
            Array.from({ length: count }, () => ({ id: 1 })),
          ]);
        }
      } finally {
        await shop.close();
      }
    };
    const row = { id: 1, name: 'tent', size: 'large', code: 4711, brand_id: 1 };
    await during(searched('name', 'code: int4', 'name'), { tent: 1, large: 0, alpina: 1, maker: 0 }, [row]);
    const sized = searched('size', 'code: int4', 'name');
    expect((await place.plan(sized)).problems).toEqual([]);
    await during(sized, { tent: 0, large: 1, alpina: 1 });
    await during(searched('size', 'code: int4', "'maker'"), { large: 1, alpina: 0, maker: 1 });
    await during(searched('size', 'code: text', "'maker'"), { large: 1, 4711: 1 });
    await during(searched('size', '', "'maker'"), { large: 1, 4711: 0 });
    expect((await place.plan(searched('size', '', "'maker'"))).steps).toEqual([]);
  });

  test('are rejected with the reason if a row does not fit', async () => {
    const place = PLACES[engine]!();
    const shop = await place.open(declared(PRICES));
    await shop.post('products', [...ROWS, { id: 3, price: null, cost: 1 }]);
    await shop.close();
    const problems = async (field: string) => {
      const plan = await place.plan(declared(`${PRICES}, ${field}`));
      return plan.problems.map(({ words }) => words);
    };
    expect(await problems('x: { type: int4, computed: price, required: true }')).toEqual([
      '1 row has no x: products.x is required, and its expression gives none',
    ]);
    expect(await problems('x: { type: int4, computed: price, unique: true }')).toEqual([
      '1 row repeats the x of another: products (x) is unique',
    ]);
    expect(await problems('x: { type: int4, computed: cost, minimum: 2 }')).toEqual([
      '2 rows break the rules of products.x (minimum 2)',
    ]);
    const small = declared(`${PRICES}, x: { type: int2, computed: price * 10000 }`);
    await expect(place.open(small)).rejects.toThrow(
      /has a row for which a new computed field fails: .*smallint out of range/,
    );
    const same = await place.open(declared(PRICES));
    expect(await same.list('/products?select=id')).toHaveLength(3);
    await same.close();
  });
});
