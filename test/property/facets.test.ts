/** Facets equal counts that the test computes from plain lists, for generated filters, facets and roles. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Row } from '../../src/collection/value.ts';
import { declaredBy, openRoled, ROLE_ENGINES, type Roled } from '../support/engines/roles.ts';
import { type Chooser, chooserOf } from '../support/generated/embedding-requests.ts';
import { RUNS } from '../support/generated/generators.ts';

const SHOP = declaredBy(`
collections:
  brands:
    fields: { id: int4, name: { type: text, required: true }, secret: { type: boolean, required: true } }
  products:
    fields:
      id: int4
      brand_id: { type: int4, references: brands }
      size: text
      price: decimal(8,2)
      colors: text[]
      draft: { type: boolean, required: true }
  variants:
    fields: { id: int4, product_id: { type: int4, references: products }, size: text, color: text, hidden: { type: boolean, required: true } }
roles:
  visitor:
    brands: { read: { where: 'secret=is.false' } }
    products: { read: { where: 'draft=is.false' } }
    variants: { read: { where: 'hidden=is.false' } }
  admin: all
`);

const SIZES = ['S', 'M', 'L', null];
const COLORS = ['red', 'blue', 'ünï'];

interface Variant {
  readonly size: string | null;
  readonly color: string;
}

interface Product {
  readonly id: number;
  readonly brand_id: number | null;
  readonly brands: { readonly name: string } | null;
  readonly size: string | null;
  readonly price: number | null;
  readonly colors: readonly string[] | null;
  readonly variants: readonly Variant[];
}

/** A filter of the request, the facet that it belongs to, and its meaning. */
interface Filter {
  readonly query: string;
  readonly of: string;
  readonly holds: (product: Product) => boolean;
}

const compare = (of: 'brand_id' | 'size', value: string | number): Filter => ({
  query: `${of}=eq.${value}`,
  of,
  holds: (product) => product[of] === value,
});

function chooseFilters(choose: Chooser): { own: readonly Filter[]; variant: Partial<Variant> } {
  const low = choose.number(0, 30);
  const filters: Filter[] = [
    compare('brand_id', choose.number(1, 3)),
    compare('size', choose.one(['S', 'M', 'L'])),
    { query: `price=gte.${low}`, of: 'price', holds: ({ price }) => price !== null && price >= low },
    { query: 'or=(size.is.null,size.eq.M)', of: 'size', holds: ({ size }) => size === null || size === 'M' },
    { query: 'or=(size.eq.S,brand_id.eq.1)', of: '', holds: ({ size, brand_id }) => size === 'S' || brand_id === 1 },
    { query: 'colors=cs.{red}', of: 'colors', holds: ({ colors }) => colors?.includes('red') === true },
  ];
  const variant = {
    ...(choose.number(0, 2) === 0 ? { size: choose.one(['S', 'M']) } : {}),
    ...(choose.number(0, 2) === 0 ? { color: choose.one(COLORS) } : {}),
  };
  return { own: filters.filter(() => choose.number(0, 3) === 0), variant };
}

const sameAs = (part: Partial<Variant>) => (variant: Variant) =>
  Object.entries(part).every(([name, value]) => variant[name as keyof Variant] === value);

/** The values of a product that a facet counts. */
function valuesOf(facet: string, product: Product, variant: Partial<Variant>): readonly unknown[] {
  const [first, field] = facet.split('.') as [keyof Product, keyof Variant | undefined];
  if (first === 'colors') return product.colors ?? [];
  if (field === undefined) return [product[first]];
  const { [field]: _, ...rest } = variant;
  return product.variants.filter(sameAs(rest)).map((each) => each[field]);
}

const FACETS = ['brand_id', 'size', 'price', 'colors', 'variants.size', 'variants.color'];
const LIMITS = [0, 10, 25];

/** By count, then by value; null last. */
function counted(products: readonly Product[], values: (product: Product) => readonly unknown[]) {
  const counts = new Map<unknown, number>();
  for (const product of products)
    for (const value of new Set(values(product))) counts.set(value, (counts.get(value) ?? 0) + 1);
  const order = (one: unknown, other: unknown) =>
    one === null ? 1 : other === null ? -1 : (one as string) < (other as string) ? -1 : 1;
  return [...counts].sort(([one, n], [other, m]) => m - n || order(one, other));
}

function ranges(prices: readonly (number | null)[]) {
  const within = (from: number, to: number) =>
    prices.filter((price) => price !== null && price >= from && price < to).length;
  const all = [
    { to: 0, count: within(Number.NEGATIVE_INFINITY, 0) },
    { from: 0, to: 10, count: within(0, 10) },
    { from: 10, to: 25, count: within(10, 25) },
    { from: 25, count: within(25, Number.POSITIVE_INFINITY) },
    { value: null, count: prices.filter((price) => price === null).length },
  ];
  return all.filter((range, index) => range.count > 0 || index === 1 || index === 2);
}

function generateRows(choose: Chooser): Readonly<Record<string, readonly Row[]>> {
  const rows = {
    brands: [1, 2, 3].map((id) => ({ id, name: `Brand ${id}`, secret: choose.number(0, 2) === 0 })),
    products: Array.from({ length: 40 }, (_, index) => ({
      id: index + 1,
      brand_id: choose.one([1, 2, 3, null]),
      size: choose.one(SIZES),
      price: choose.one([null, choose.number(-5, 40), choose.number(0, 4000) / 100]),
      colors: choose.one([null, [], [choose.one(COLORS)], [choose.one(COLORS), choose.one(COLORS)]]),
      draft: choose.number(0, 3) === 0,
    })),
    variants: Array.from({ length: 80 }, (_, index) => ({
      id: index + 1,
      product_id: choose.number(1, 40),
      size: choose.one(SIZES),
      color: choose.one(COLORS),
      hidden: choose.number(0, 3) === 0,
    })),
  };
  return rows as unknown as Readonly<Record<string, readonly Row[]>>;
}

describe.each([...ROLE_ENGINES])('facets on %s', (engine) => {
  let shop: Roled;
  beforeAll(async () => {
    const generate = fc.asyncProperty(fc.gen(), async (value) => {
      shop = await openRoled(engine, SHOP, generateRows(chooserOf(value)));
    });
    await fc.assert(generate, { numRuns: 1 });
  });
  afterAll(() => shop.close());

  test('equal the counts of plain lists', async () => {
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.constantFrom('visitor', 'admin'), async (generate, role) => {
        const choose = chooserOf(generate);
        const { own, variant } = chooseFilters(choose);
        const facets = FACETS.filter(() => choose.number(0, 2) > 0);
        const client = shop.as(role);
        const all = (await client.list('/products?select=*,brands(name),variants(size,color)')) as unknown as Product[];
        const isJoined = Object.keys(variant).length > 0;
        const select = `select=id${isJoined ? ',variants!inner(id)' : ''}`;
        const filters = [
          select,
          ...own.map(({ query }) => query),
          ...Object.entries(variant).map(([name, value]) => `variants.${name}=eq.${encodeURIComponent(value!)}`),
        ];
        const asked = facets.map((name) => (name === 'price' ? `price(${LIMITS.join(',')})` : name));
        const path = `/products?${filters.join('&')}&facets=${asked.join(',')}`;
        const accept = 'application/vnd.catalogue.facets+json';
        const answer = JSON.parse(
          await client.text(facets.length === 0 ? path.replace('&facets=', '') : path, { headers: { accept } }),
        ) as { rows: Row[]; total: number; facets: Record<string, Row[]>; bounds?: Record<string, Row> };
        const matching = (facet: string) =>
          all.filter(
            (product) =>
              own.every(({ of, holds }) => of === facet || holds(product)) &&
              (!isJoined || facet.startsWith('variants.') || product.variants.some(sameAs(variant))),
          );
        const total = matching('none').length;
        expect({ path, total: answer.total, rows: answer.rows.length }).toEqual({ path, total, rows: total });
        expect(Object.keys(answer.facets)).toEqual(facets);
        for (const facet of facets) {
          const products = matching(facet);
          const prices = products.map(({ price }) => price);
          const titles = new Map(all.map(({ brand_id, brands }) => [brand_id, brands?.name ?? null]));
          const expected =
            facet === 'price'
              ? ranges(prices)
              : counted(products, (product) => valuesOf(facet, product, variant)).map(([value, count]) =>
                  facet === 'brand_id'
                    ? { value, title: titles.get(value as number) ?? null, count }
                    : { value, count },
                );
          expect({ path, role, facet, list: answer.facets[facet] } as unknown).toEqual({
            path,
            role,
            facet,
            list: expected,
          });
          if (facet !== 'price') continue;
          const known = prices.filter((price) => price !== null);
          const [minimum, maximum] = known.length === 0 ? [null, null] : [Math.min(...known), Math.max(...known)];
          expect(answer.bounds).toEqual({ price: { minimum, maximum } });
        }
      }),
      { numRuns: 30 * RUNS },
    );
  });
});
