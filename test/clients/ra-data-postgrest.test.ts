/** The react-admin data provider @raphiniert/ra-data-postgrest with a running service: all nine methods. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import postgrestRestProvider, {
  defaultPrimaryKeys,
  defaultSchema,
  type IDataProviderConfig,
} from '@raphiniert/ra-data-postgrest';
import referenceProducts from '../../src/collection/reference-products.json' with { type: 'json' };
import { fetchJson, HttpError } from '../support/network/fetch-json.ts';
import { FILES, type FileKind, fileServices } from '../support/processes/file-services.ts';
import { cleanUp, type Service } from '../support/processes/process.ts';

type Product = (typeof referenceProducts)[number];

let service: Service;
let provider: ReturnType<typeof postgrestRestProvider>;

const services = fileServices();

async function use(file: FileKind): Promise<void> {
  service = await services.on(file);
  provider = postgrestRestProvider(configuration());
}

afterAll(async () => {
  const faults = services.stderr();
  await cleanUp();
  expect(faults).toBe('');
});

/** Restores the reference products before each test. */
beforeEach(async () => {
  await service.fetch(`/products?id=not.in.(${referenceProducts.map(({ id }) => id).join(',')})`, { method: 'DELETE' });
  const restored = await service.fetch('/products', {
    method: 'POST',
    headers: { prefer: 'resolution=merge-duplicates' },
    body: JSON.stringify(referenceProducts),
  });
  expect(restored.ok).toBe(true);
});

/** The configuration from the README of the provider. */
function configuration(): IDataProviderConfig {
  return {
    apiUrl: service.url,
    httpClient: fetchJson,
    defaultListOp: 'eq',
    primaryKeys: defaultPrimaryKeys,
    schema: defaultSchema,
  };
}

const firstPage = { page: 1, perPage: 10 };
const byId = { field: 'id', order: 'ASC' } as const;

describe.each(FILES)('getList on %s', (file) => {
  beforeAll(() => use(file));

  async function list(params: Record<string, unknown>) {
    const { data, total } = await provider.getList('products', {
      pagination: firstPage,
      sort: byId,
      filter: {},
      ...params,
    });
    return { ids: data.map(({ id }: { readonly id: number }) => id), total, data };
  }

  test('returns a page, and the total from Content-Range', async () => {
    const first = await list({});
    expect({ ids: first.ids, total: first.total }).toEqual({ ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], total: 77 });
    expect(first.data[0]).toEqual(referenceProducts[0]);
    const last = await list({ pagination: { page: 8, perPage: 10 } });
    expect({ ids: last.ids, total: last.total }).toEqual({ ids: [71, 72, 73, 74, 75, 76, 77], total: 77 });
  });

  test('an empty list has a total of 0', async () => {
    const { ids, total } = await list({ filter: { id: 999 } });
    expect({ ids, total }).toEqual({ ids: [], total: 0 });
  });

  test('all pages together contain every product exactly once, in any sort order', async () => {
    const pages = [];
    for (let page = 1; page <= 11; page++) {
      pages.push(await list({ pagination: { page, perPage: 7 }, sort: { field: 'category_id', order: 'DESC' } }));
    }
    const all = pages.flatMap(({ ids }) => ids);
    expect(all).toHaveLength(77);
    expect(new Set(all).size).toBe(77);
  });

  test('sorts ascending and descending, and by price', async () => {
    expect((await list({ sort: { field: 'id', order: 'DESC' } })).ids.slice(0, 3)).toEqual([77, 76, 75]);
    expect((await list({ sort: { field: 'unit_price', order: 'DESC' } })).ids.slice(0, 3)).toEqual([38, 29, 9]);
    expect((await list({ sort: { field: 'product_name', order: 'ASC' } })).ids.slice(0, 2)).toEqual([17, 3]);
  });

  test('places nulls as meta requests', async () => {
    await service.fetch('/products?id=eq.5', { method: 'PATCH', body: '{"unit_price":null}' });
    const sort = { field: 'unit_price', order: 'DESC' } as const;
    expect((await list({ sort })).ids[0]).toBe(5);
    expect((await list({ sort, meta: { nullslast: true } })).ids[0]).toBe(38);
    const up = { field: 'unit_price', order: 'ASC' } as const;
    expect((await list({ sort: up, meta: { nullsfirst: true } })).ids[0]).toBe(5);
  });

  test('filters by value, by operator, and by several together', async () => {
    expect((await list({ filter: { category_id: 1 } })).total).toBe(12);
    expect((await list({ filter: { 'unit_price@gt': 80 } })).ids).toEqual([9, 20, 29, 38]);
    expect((await list({ filter: { category_id: 1, 'unit_price@gte': 46 } })).ids).toEqual([38, 43]);
    expect((await list({ filter: { 'id@in': '(3,1,2)' } })).ids).toEqual([1, 2, 3]);
    expect((await list({ filter: { 'unit_price@is': 'null' } })).ids).toEqual([]);
    expect((await list({ filter: { 'product_name@fts': 'tofu' } })).ids).toEqual([14, 74]);
  });

  test('searches for every word of a text', async () => {
    expect((await list({ filter: { 'product_name@ilike': 'CHEF' } })).ids).toEqual([4, 5]);
    // The provider sends the second word as product_name[1], which PostgREST reads as product_name.
    expect((await list({ filter: { 'product_name@ilike': 'gumbo chef' } })).ids).toEqual([5]);
    expect((await list({ filter: { 'product_name@like': 'Queso' } })).ids).toEqual([11, 12]);
  });

  test('filters with or and and', async () => {
    expect((await list({ filter: { '@or': { 'id@eq': 3, 'product_name@eq': 'Chai' } } })).ids).toEqual([1, 3]);
    expect((await list({ filter: { '@and': { 'id@gt': 2, 'unit_price@lt': 7 } } })).ids).toEqual([13, 24, 33]);
  });

  test('reads only the columns named in meta', async () => {
    const { data } = await list({
      meta: { columns: ['id', 'name:product_name'] },
      pagination: { page: 1, perPage: 1 },
    });
    expect(data as unknown).toEqual([{ id: 1, name: 'Chai' }]);
  });

  test('an unknown field gives an error with the body of the service', async () => {
    const failure = await failureOf(
      provider.getList('products', { pagination: firstPage, sort: byId, filter: { nope: 1 } }),
    );
    expect({ status: failure.status, code: failure.body.code }).toEqual({ status: 400, code: '42703' });
  });
});

describe.each(FILES)('getOne, getMany, getManyReference on %s', (file) => {
  beforeAll(() => use(file));

  test('getOne', async () => {
    expect((await provider.getOne('products', { id: 5 })).data).toEqual(referenceProducts[4]!);
    const failure = await failureOf(provider.getOne('products', { id: 999 }));
    expect({ status: failure.status, code: failure.body.code }).toEqual({ status: 406, code: 'PGRST116' });
  });

  test('getMany for several ids, one id, and none', async () => {
    const { data } = await provider.getMany('products', { ids: [3, 1, 999] });
    expect(data.map(({ id }: { readonly id: number }) => id)).toEqual([1, 3]);
    expect((await provider.getMany('products', { ids: [2] })).data).toEqual([referenceProducts[1]!]);
    expect((await provider.getMany('products', { ids: [] })).data).toEqual([]);
  });

  test('getManyReference', async () => {
    const { data, total } = await provider.getManyReference('products', {
      target: 'category_id',
      id: 7,
      pagination: { page: 1, perPage: 3 },
      sort: { field: 'product_name', order: 'ASC' },
      filter: { 'unit_price@gt': 20 },
    });
    expect(data.map(({ id }: { readonly id: number }) => id)).toEqual([51, 28, 14]);
    expect(total).toBe(4);
  });
});

describe.each(FILES)('writes on %s', (file) => {
  beforeAll(() => use(file));

  const novelty = { product_name: 'Novelty', unit_price: 9.99, category_id: 3 };

  test('create returns the product with its id', async () => {
    const { data } = await provider.create('products', { data: novelty });
    expect(data.id).toBeNumber();
    expect(data).toMatchObject({ ...novelty, discontinued: 0, units_in_stock: null });
    expect(await stored(data.id as number)).toMatchObject(novelty);
  });

  test('create without a required field gives an error', async () => {
    const failure = await failureOf(provider.create('products', { data: { unit_price: 1 } }));
    expect({ status: failure.status, code: failure.body.code }).toEqual({ status: 400, code: '23502' });
  });

  test('update sends the changed fields and returns the product', async () => {
    const previousData = referenceProducts[0]!;
    const { data } = await provider.update('products', {
      id: 1,
      data: { ...previousData, unit_price: 19.5 },
      previousData,
    });
    expect(data as Product).toEqual({ ...previousData, unit_price: 19.5 });
    expect(await stored(1)).toEqual({ ...previousData, unit_price: 19.5 });
  });

  test('update of a deleted product gives an error', async () => {
    const failure = await failureOf(
      provider.update('products', { id: 999, data: { unit_price: 1 }, previousData: { id: 999 } }),
    );
    expect({ status: failure.status, code: failure.body.code }).toEqual({ status: 406, code: 'PGRST116' });
  });

  test('updateMany returns the ids', async () => {
    const { data } = await provider.updateMany('products', { ids: [1, 2, 3], data: { reorder_level: 7 } });
    expect([...data!].sort()).toEqual([1, 2, 3]);
    expect((await stored(3))?.reorder_level).toBe(7);
    expect((await stored(4))?.reorder_level).toBe(0);
  });

  test('delete returns the deleted product', async () => {
    const { data } = await provider.delete('products', { id: 77 });
    expect(data as Product).toEqual(referenceProducts[76]!);
    expect(await stored(77)).toBeUndefined();
    const again = await failureOf(provider.delete('products', { id: 77 }));
    expect({ status: again.status, code: again.body.code }).toEqual({ status: 406, code: 'PGRST116' });
  });

  test('deleteMany returns the ids', async () => {
    const { data } = await provider.deleteMany('products', { ids: [75, 76, 77] });
    expect([...data!].sort()).toEqual([75, 76, 77]);
    expect(await stored(76)).toBeUndefined();
    expect((await stored(74))?.id).toBe(74);
  });
});

describe.each(FILES)('a schema setting on %s', (file) => {
  beforeAll(() => use(file));

  test('is sent as a profile: the served schema is accepted, and any other is rejected', async () => {
    const other = postgrestRestProvider({ ...configuration(), schema: () => 'other' });
    await expect(other.getOne('products', { id: 1 })).rejects.toMatchObject({ status: 406 });
    await expect(other.create('products', { data: { product_name: 'Lost' } })).rejects.toMatchObject({ status: 406 });
    const withSchema = postgrestRestProvider({ ...configuration(), schema: () => 'public' });
    expect((await withSchema.getOne('products', { id: 1 })).data.product_name).toBe('Chai');
    expect((await withSchema.create('products', { data: { product_name: 'Profiled' } })).data.product_name).toBe(
      'Profiled',
    );
  });
});

async function stored(id: number): Promise<Product | undefined> {
  const response = await service.fetch(`/products/${id}`);
  return response.status === 404 ? undefined : ((await response.json()) as Product);
}

async function failureOf(call: Promise<unknown>): Promise<HttpError> {
  const failure: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(HttpError);
  return failure as HttpError;
}
