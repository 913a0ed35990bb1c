/** The react-admin data provider with a running shop: keys of every kind, references and embeddings. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import postgrestRestProvider, { defaultSchema } from '@raphiniert/ra-data-postgrest';
import { SHOP_SHOWN } from '../support/engines/shop.ts';
import { fetchJson } from '../support/network/fetch-json.ts';
import { cleanUp, type Service } from '../support/processes/process.ts';
import { SHOP_ENGINES, startShop } from '../support/processes/shop-services.ts';

const pagination = { page: 1, perPage: 3 };

describe.each(SHOP_ENGINES)('the shop on %s', (engine) => {
  let service: Service;
  let provider: ReturnType<typeof postgrestRestProvider>;
  beforeAll(async () => {
    service = await startShop(engine);
    provider = postgrestRestProvider({
      apiUrl: service.url,
      httpClient: fetchJson,
      defaultListOp: 'eq',
      primaryKeys: new Map([
        ['prices', ['product_id', 'currency']],
        ['product_labels', ['product_id', 'label_id']],
      ]),
      schema: defaultSchema,
    });
  });
  afterAll(async () => {
    const faults = service.stderr();
    await cleanUp();
    expect(faults).toBe('');
  });

  test('returns a list with the referenced rows', async () => {
    const { data, total } = await provider.getList('prices', {
      pagination,
      sort: { field: 'product_id,currency', order: 'ASC' },
      filter: {},
      meta: { embed: ['products'] },
    });
    expect(total).toBe(SHOP_SHOWN.prices!.length);
    expect(data).toHaveLength(3);
    expect(data[0]).toMatchObject({ product_id: 1, currency: 'EUR', products: { product_name: 'Chai' } });
  });

  test('filters by an embedded field and by a list', async () => {
    const { data, total } = await provider.getList('products', {
      pagination,
      sort: { field: 'id', order: 'ASC' },
      filter: { 'tags@cs': '{new}' },
      meta: { columns: ['id', 'tags', 'categories(category_name)'] },
    });
    expect(total).toBe(
      SHOP_SHOWN.products!.filter(({ tags }) => (tags as unknown as string[] | null)?.includes('new')).length,
    );
    expect(data[0]).toMatchObject({
      tags: expect.arrayContaining(['new']),
      categories: { category_name: expect.any(String) },
    });
  });

  test('returns the rows that refer to a given row', async () => {
    const { data, total } = await provider.getManyReference('products', {
      target: 'category_id',
      id: 1,
      pagination,
      sort: { field: 'id', order: 'DESC' },
      filter: {},
    });
    expect(total).toBe(12);
    expect(data.map(({ id }: { readonly id: number }) => id)).toEqual([76, 75, 70]);
  });

  test('a row with a composite key can be read, created, updated and deleted', async () => {
    const made = await provider.create('prices', { data: { product_id: 1, currency: 'CHF', amount: 17.5 } });
    const { id } = made.data;
    expect((await provider.getOne('prices', { id })).data).toMatchObject({
      product_id: 1,
      currency: 'CHF',
      amount: 17.5,
    });
    const changed = { product_id: 1, currency: 'CHF', amount: 18.25 };
    await provider.update('prices', { id, data: changed, previousData: made.data });
    expect((await provider.getMany('prices', { ids: [id] })).data).toMatchObject([changed]);
    await provider.delete('prices', { id, previousData: made.data });
    const after = await service.fetch('/prices?product_id=eq.1&currency=eq.CHF');
    expect(await after.json()).toEqual([]);
  });

  test('a row with a uuid key can be created without the key', async () => {
    const { data } = await provider.create('labels', { data: { label: 'winter only' } });
    expect(data.id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await provider.getOne('labels', { id: data.id })).data).toMatchObject({ label: 'winter only' });
    await provider.delete('labels', { id: data.id, previousData: data });
  });
});
