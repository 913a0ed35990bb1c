/**
 * @supabase/postgrest-js with a running shop and the types that `catalogue types` prints for it. This file compiles
 * only if the client derives the embedded types from `Relationships`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PostgrestClient } from '@supabase/postgrest-js';
import { typeScriptTypes } from '../../src/openapi/types.ts';
import { SHOP } from '../support/engines/shop.ts';
import { cleanUp, type Service } from '../support/processes/process.ts';
import { SHOP_ENGINES, startShop } from '../support/processes/shop-services.ts';
import type { Database } from '../types/shop-database.ts';

test('the compiled types are those that catalogue types prints', async () => {
  const kept = await Bun.file(new URL('../types/shop-database.ts', import.meta.url)).text();
  expect(typeScriptTypes(SHOP)).toBe(kept);
});

describe.each(SHOP_ENGINES)('the shop on %s', (engine) => {
  let service: Service;
  let shop: PostgrestClient<Database>;
  beforeAll(async () => {
    service = await startShop(engine);
    shop = new PostgrestClient<Database>(service.url);
  });
  afterAll(async () => {
    const faults = service.stderr();
    await cleanUp();
    expect(faults).toBe('');
  });

  test('embeds the category and suppliers of a product, using hints', async () => {
    const { data, error } = await shop
      .from('products')
      .select(
        'id, categories(category_name), main:suppliers!supplier_id(country), second:suppliers!second_supplier_id(id)',
      )
      .eq('id', 1)
      .single();
    expect(error).toBeNull();
    const category: string | undefined = data!.categories?.category_name;
    const country: string | null | undefined = data!.main?.country;
    const second: number | undefined = data!.second?.id;
    expect({ category, country, second }).toEqual({ category: 'Beverages', country: 'UK', second: 12 });
  });

  test('embeds lists with their own order, limit and filters', async () => {
    const { data, error } = await shop
      .from('categories')
      .select('id, products(id, unit_price)')
      .in('id', [1, 10])
      .gt('products.unit_price', 15)
      .order('id', { ascending: false })
      .order('unit_price', { referencedTable: 'products', ascending: false })
      .limit(2, { referencedTable: 'products' });
    expect(error).toBeNull();
    const prices: (number | null)[] = data!.flatMap(({ products }) => products.map(({ unit_price }) => unit_price));
    expect(data!.map(({ id, products }) => [id, products.map((product) => product.id)])).toEqual([
      [10, []],
      [1, [38, 43]],
    ]);
    expect(prices).toEqual([263.5, 46]);
  });

  test('applies range and or to an embedding', async () => {
    const { data } = await shop
      .from('categories')
      .select('products(id)')
      .eq('id', 1)
      .or('id.lt.3,id.gt.74', { referencedTable: 'products' })
      .range(1, 2, { referencedTable: 'products' })
      .single();
    expect(data!.products).toEqual([{ id: 2 }, { id: 75 }]);
  });

  test('returns and counts only rows with a matching inner join', async () => {
    const { data, count } = await shop
      .from('categories')
      .select('id, products!inner(id)', { count: 'exact' })
      .gt('products.unit_price', 100)
      .limit(1);
    expect({ data, count }).toEqual({ data: [{ id: 1, products: [{ id: 38 }] }], count: 2 });
    const without = await shop.from('categories').select('id, products()').is('products', null).order('id');
    expect(without.data as unknown).toEqual([{ id: 9 }, { id: 10 }, { id: 11 }]);
  });

  test('embeds through a junction collection from both sides, and a collection in itself', async () => {
    const { data } = await shop.from('labels').select('label, products(id)').eq('label', 'seasonal').maybeSingle();
    const ids: number[] = data!.products.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(0);
    const { data: other } = await shop
      .from('product_labels')
      .select('product_id, labels!inner(label)')
      .eq('labels.label', 'seasonal');
    expect(ids).toEqual(other!.map(({ product_id }) => product_id));
    const { data: parents } = await shop.from('categories').select('id, parent_id(category_name)').eq('id', 9);
    const { data: top } = await shop
      .from('categories')
      .select('id, categories(id)')
      .is('parent_id', null)
      .order('id')
      .limit(1);
    expect({ parents, top }).toMatchObject({ parents: [{ id: 9 }], top: [{ categories: expect.any(Array) }] });
  });

  test('spreads columns of an embedded row and of an embedded list', async () => {
    const { data } = await shop
      .from('prices')
      .select('currency, ...products(product_name)')
      .eq('product_id', 1)
      .order('currency');
    const names: string[] = data!.map(({ product_name }) => product_name);
    expect(names).toEqual(['Chai', 'Chai']);
    const { data: lists } = await shop.from('products').select('id, ...prices(currency)').eq('id', 1).single();
    const currencies: string[] = lists!.currency;
    expect(currencies).toEqual(['EUR', 'JPY']);
  });

  test('orders by a field of an embedded row', async () => {
    const { data } = await shop
      .from('products')
      .select('id, categories(category_name)')
      .order('categories(category_name)', { ascending: false })
      .order('id')
      .limit(1);
    expect(data!.map(({ categories }) => categories!.category_name)).toEqual(['Seafood']);
  });

  test('returns written rows with their embeddings', async () => {
    const row = {
      product_name: 'Earl Grey',
      category_id: 1,
      supplier_id: 2,
      tags: ['tea', 'new'],
      attributes: { caffeine: true },
    };
    const written = await shop
      .from('products')
      .insert(row)
      .select('id, tags, attributes, categories(category_name)')
      .single();
    expect({ ...written.data, id: 0 }).toEqual({
      id: 0,
      tags: ['tea', 'new'],
      attributes: { caffeine: true },
      categories: { category_name: 'Beverages' },
    });
    const { id } = written.data!;
    const changed = await shop
      .from('products')
      .update({ category_id: 2 })
      .eq('id', id)
      .select('categories(category_name)')
      .single();
    expect(changed.data!.categories!.category_name).toBe('Condiments');
    const price = { product_id: id, currency: 'EUR', amount: 4.5 };
    const upserted = await shop.from('prices').upsert(price).select('amount, products(product_name)').single();
    expect(upserted.data as unknown).toEqual({ amount: 4.5, products: { product_name: 'Earl Grey' } });
    const removed = await shop.from('products').delete().eq('id', id).select('id, prices(currency)');
    expect(removed.error).toBeNull();
    expect((await shop.from('prices').select('*').eq('product_id', id)).data).toEqual([]);
  });

  test('errors have the codes that the client knows', async () => {
    const ambiguous = await shop.from('products').select('suppliers(id)' as '*');
    expect({ status: ambiguous.status, code: ambiguous.error!.code }).toEqual({ status: 300, code: 'PGRST201' });
    const missing = await shop.from('products').insert({ product_name: 'Nothing', category_id: 99 });
    expect({ status: missing.status, code: missing.error!.code }).toEqual({ status: 409, code: '23503' });
    const broken = await shop.from('products').insert({ product_name: 'Nothing', status: 'lost' as 'live' });
    expect({ status: broken.status, code: broken.error!.code }).toEqual({ status: 400, code: '23514' });
  });

  test('filters by json, arrays and exact values', async () => {
    const tagged = await shop.from('products').select('id').contains('tags', ['new']).order('id').limit(2);
    expect(tagged.error).toBeNull();
    const red = await shop
      .from('products')
      .select('id, color:attributes->>color')
      .eq('attributes->>color', 'red')
      .limit(1);
    expect(red.data).toMatchObject([{ color: 'red' }]);
    const origin = await shop
      .from('products')
      .select('id')
      .contains('attributes', { origin: { iso: 'FI' } })
      .order('id')
      .limit(1);
    expect(origin.data).toEqual([{ id: 1 }]);
  });
});
