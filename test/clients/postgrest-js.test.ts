/** @supabase/postgrest-js with a running service: every method that applies to one table. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PostgrestClient, PostgrestError } from '@supabase/postgrest-js';
import referenceProducts from '../../src/collection/reference-products.json' with { type: 'json' };
import { FILES, type FileKind, fileServices } from '../support/processes/file-services.ts';
import { cleanUp } from '../support/processes/process.ts';

interface Product extends Record<string, unknown> {
  id: number;
  product_name: string;
  discontinued: number;
  supplier_id: number | null;
  category_id: number | null;
  quantity_per_unit: string | null;
  unit_price: number | null;
  units_in_stock: number | null;
  units_on_order: number | null;
  reorder_level: number | null;
}

interface Database {
  /** The PostgREST version that selects the features in the client types. 14 is the newest known version. */
  __InternalSupabase: { PostgrestVersion: '14' };
  public: {
    Tables: {
      products: {
        Row: Product;
        Insert: Partial<Product> & { product_name: string };
        Update: Partial<Product>;
        Relationships: [];
      };
    };
    Views: Record<never, never>;
    Functions: Record<never, never>;
  };
}

const REFERENCE: readonly Product[] = referenceProducts;

const services = fileServices();
let client: PostgrestClient<Database>;

async function use(file: FileKind): Promise<void> {
  client = new PostgrestClient<Database>((await services.on(file)).url);
}

afterAll(async () => {
  const faults = services.stderr();
  await cleanUp();
  expect(faults).toBe('');
});

const products = () => client.from('products');
const ids = () => products().select('id').order('id');

/** Computes the expected ids from the reference data. */
const idsWhere = (holds: (product: Product) => boolean) => REFERENCE.filter(holds).map(({ id }) => id);

async function idsOf(query: PromiseLike<{ data: { id: number }[] | null; error: unknown }>): Promise<number[]> {
  const { data, error } = await query;
  expect(error).toBeNull();
  return data!.map(({ id }) => id);
}

/** Runs a write for one test, then restores the rows. */
async function restoring(rows: readonly number[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await products()
      .delete()
      .not('id', 'in', `(${REFERENCE.map(({ id }) => id).join(',')})`);
    if (rows.length > 0) await products().upsert(REFERENCE.filter(({ id }) => rows.includes(id)));
    const { data } = await products().select();
    expect(data).toEqual([...REFERENCE]);
  }
}

describe.each(FILES)('filters on %s', (file) => {
  beforeAll(() => use(file));

  test('a select without filters reads the whole table, with fields in the order of the description', async () => {
    const { data, error, status, count } = await products().select();
    expect({ error, status, count }).toEqual({ error: null, status: 200, count: null });
    expect(data).toEqual([...REFERENCE]);
  });

  test('eq, neq, gt, gte, lt, lte', async () => {
    expect(await idsOf(ids().eq('product_name', 'Chai'))).toEqual([1]);
    expect(await idsOf(ids().neq('discontinued', 0))).toEqual(idsWhere((each) => each.discontinued !== 0));
    expect(await idsOf(ids().gt('unit_price', 62.5))).toEqual(idsWhere((each) => each.unit_price! > 62.5));
    expect(await idsOf(ids().gte('unit_price', 62.5))).toEqual(idsWhere((each) => each.unit_price! >= 62.5));
    expect(await idsOf(ids().lt('units_in_stock', 4))).toEqual(idsWhere((each) => each.units_in_stock! < 4));
    expect(await idsOf(ids().lte('units_in_stock', 4))).toEqual(idsWhere((each) => each.units_in_stock! <= 4));
  });

  test('text with commas, quotes, spaces and non-ASCII letters', async () => {
    expect(await idsOf(ids().eq('product_name', "Sir Rodney's Scones"))).toEqual([21]);
    expect(await idsOf(ids().eq('product_name', 'Original Frankfurter grüne Soße'))).toEqual([77]);
    expect(await idsOf(ids().in('product_name', ['Chai', 'Côte de Blaye', 'none, (at) all']))).toEqual([1, 38]);
  });

  test('like and ilike, with * and with %', async () => {
    expect(await idsOf(ids().like('product_name', 'Ch*'))).toEqual(
      idsWhere((each) => each.product_name.startsWith('Ch')),
    );
    expect(await idsOf(ids().like('product_name', 'ch%'))).toEqual([]);
    expect(await idsOf(ids().ilike('product_name', 'ch%'))).toEqual(
      idsWhere((each) => each.product_name.startsWith('Ch')),
    );
    expect(await idsOf(ids().ilike('product_name', '*KÖÖRI*'))).toEqual([76]);
  });

  test('likeAllOf, likeAnyOf, ilikeAllOf, ilikeAnyOf', async () => {
    expect(await idsOf(ids().likeAllOf('product_name', ['Queso*', '*Pastora']))).toEqual([12]);
    expect(await idsOf(ids().likeAnyOf('product_name', ['Queso*', 'Chai']))).toEqual([1, 11, 12]);
    expect(await idsOf(ids().ilikeAllOf('product_name', ['queso*', '*PASTORA']))).toEqual([12]);
    expect(await idsOf(ids().ilikeAnyOf('product_name', ['queso*', 'CHAI']))).toEqual([1, 11, 12]);
  });

  test('regexMatch and regexIMatch', async () => {
    expect(await idsOf(ids().regexMatch('product_name', '^Cha[in]g?$'))).toEqual([1, 2]);
    expect(await idsOf(ids().regexMatch('product_name', '^cha'))).toEqual([]);
    expect(await idsOf(ids().regexIMatch('product_name', '^cha[in]g?$'))).toEqual([1, 2]);
  });

  test('is and not is', async () => {
    await restoring([1], async () => {
      await products().update({ unit_price: null }).eq('id', 1);
      expect(await idsOf(ids().is('unit_price', null))).toEqual([1]);
      expect(await idsOf(ids().not('unit_price', 'is', null).lt('id', 4))).toEqual([2, 3]);
    });
  });

  test('isDistinct treats null as a value', async () => {
    await restoring([1], async () => {
      await products().update({ category_id: null }).eq('id', 1);
      expect(await idsOf(ids().isDistinct('category_id', 1).lt('id', 5))).toEqual([1, 3, 4]);
      expect(await idsOf(ids().neq('category_id', 1).lt('id', 5))).toEqual([3, 4]);
    });
  });

  test('in and notIn', async () => {
    expect(await idsOf(ids().in('id', [3, 1, 999, 3]))).toEqual([1, 3]);
    expect(await idsOf(ids().in('id', []))).toEqual([]);
    expect(await idsOf(ids().notIn('category_id', [1, 2, 3, 4, 5, 6, 7]))).toEqual(
      idsWhere((each) => each.category_id === 8),
    );
  });

  test('or, nested and repeated', async () => {
    expect(await idsOf(ids().or('id.eq.3,product_name.eq.Chai'))).toEqual([1, 3]);
    expect(await idsOf(ids().or('id.eq.3,and(category_id.eq.1,unit_price.gt.40)'))).toEqual([3, 38, 43]);
    expect(await idsOf(ids().or('id.in.(1,2,3)').or('category_id.eq.2,product_name.like.*ng'))).toEqual([2, 3]);
    expect(await idsOf(ids().or('product_name.eq."Chang",not.and(id.gt.1,id.lt.77)'))).toEqual([1, 2, 77]);
  });

  test('not, filter and match', async () => {
    expect(await idsOf(ids().not('id', 'gt', 2))).toEqual([1, 2]);
    expect(await idsOf(ids().not('product_name', 'like', '*a*'))).toEqual(
      idsWhere((each) => !each.product_name.includes('a')),
    );
    expect(await idsOf(ids().filter('id', 'in', '(5,6)'))).toEqual([5, 6]);
    expect(await idsOf(ids().filter('id', 'not.lt', 76))).toEqual([76, 77]);
    expect(await idsOf(ids().match({ category_id: 1, supplier_id: 16, unit_price: 14 }))).toEqual([34, 67]);
  });

  test('textSearch in its four types, with and without a configuration', async () => {
    expect(await idsOf(ids().textSearch('product_name', 'sauce & cranberry'))).toEqual([8]);
    expect(await idsOf(ids().textSearch('product_name', "'sauce' | 'tofu'"))).toEqual([8, 14, 65, 74]);
    expect(await idsOf(ids().textSearch('product_name', 'hot sauce', { type: 'plain' }))).toEqual([65]);
    expect(await idsOf(ids().textSearch('product_name', 'pepper sauce', { type: 'phrase' }))).toEqual([65]);
    expect(await idsOf(ids().textSearch('product_name', 'sauce pepper', { type: 'phrase' }))).toEqual([]);
    expect(await idsOf(ids().textSearch('product_name', 'sauce -hot', { type: 'websearch' }))).toEqual([8]);
    expect(await idsOf(ids().textSearch('product_name', 'pears', { config: 'english' }))).toEqual([7]);
    expect(await idsOf(ids().textSearch('product_name', 'pear', { config: 'simple', type: 'plain' }))).toEqual([]);
  });

  test('array and range operators are rejected, because no field is an array or a range', async () => {
    const queries = [
      ids().contains('product_name', ['Chai']),
      ids().containedBy('id', [1, 2]),
      ids().overlaps('id', [1, 2]),
      ids().rangeGt('id', '[1,2)'),
      ids().rangeGte('id', '[1,2)'),
      ids().rangeLt('id', '[1,2)'),
      ids().rangeLte('id', '[1,2)'),
      ids().rangeAdjacent('id', '[1,2)'),
    ];
    for (const query of queries) {
      const { data, error, status } = await query;
      expect({ data, status: Math.floor(status / 100) }).toEqual({ data: null, status: 4 });
      expect(error!.code).not.toBe('');
      expect(error!.message).not.toBe('');
    }
  });
});

describe.each(FILES)('modifiers on %s', (file) => {
  beforeAll(() => use(file));

  test('select with columns, aliases, casts and whitespace', async () => {
    const { data } = await products()
      .select('id, name:product_name, price:unit_price::text' as '*')
      .eq('id', 5);
    expect(data as unknown).toEqual([{ id: 5, name: "Chef Anton's Gumbo Mix", price: '21.35' }]);
  });

  test('select with aggregates', async () => {
    const { data } = await products()
      .select('category_id, count(), max:unit_price.max()' as '*')
      .lte('category_id', 2)
      .order('category_id');
    expect(data as unknown).toEqual([
      { category_id: 1, count: 12, max: 263.5 },
      { category_id: 2, count: 12, max: 43.9 },
    ]);
  });

  test('order by several columns, descending, nulls first or last', async () => {
    await restoring([3], async () => {
      await products().update({ unit_price: null }).eq('id', 3);
      const three = () => products().select('id').lte('id', 3);
      expect(await idsOf(three().order('unit_price'))).toEqual([1, 2, 3]);
      expect(await idsOf(three().order('unit_price', { nullsFirst: true }))).toEqual([3, 1, 2]);
      expect(await idsOf(three().order('unit_price', { ascending: false }))).toEqual([3, 2, 1]);
      expect(await idsOf(three().order('unit_price', { ascending: false, nullsFirst: false }))).toEqual([2, 1, 3]);
      expect(await idsOf(three().order('category_id').order('id', { ascending: false }))).toEqual([2, 1, 3]);
    });
  });

  test('limit and range', async () => {
    expect(await idsOf(ids().limit(3))).toEqual([1, 2, 3]);
    expect(await idsOf(ids().limit(0))).toEqual([]);
    expect(await idsOf(ids().range(10, 12))).toEqual([11, 12, 13]);
    expect(await idsOf(ids().range(75, 99))).toEqual([76, 77]);
  });

  test('a range with a count is partial content; past the end it is rejected', async () => {
    const page = await products().select('id', { count: 'exact' }).range(0, 9);
    expect({ status: page.status, count: page.count, rows: page.data?.length }).toEqual({
      status: 206,
      count: 77,
      rows: 10,
    });
    const beyond = await products().select('id', { count: 'exact' }).range(100, 109);
    expect({ status: beyond.status, code: beyond.error?.code }).toEqual({ status: 416, code: 'PGRST103' });
  });

  for (const count of ['exact', 'planned', 'estimated'] as const) {
    test(`count ${count}, with rows and with head: true`, async () => {
      const withRows = await products().select('id', { count }).eq('category_id', 1);
      expect({ count: withRows.count, rows: withRows.data?.length }).toEqual({ count: 12, rows: 12 });
      const head = await products().select('*', { count, head: true }).eq('category_id', 1);
      expect({ error: head.error, count: head.count, data: head.data, status: head.status }).toEqual({
        error: null,
        count: 12,
        data: null,
        status: 200,
      });
    });
  }

  test('single returns the one object, or an error', async () => {
    const one = await products().select('id, product_name').eq('id', 1).single();
    expect(one.data).toEqual({ id: 1, product_name: 'Chai' });
    const none = await products().select().eq('id', 999).single();
    expect({ status: none.status, code: none.error?.code, data: none.data }).toEqual({
      status: 406,
      code: 'PGRST116',
      data: null,
    });
    const many = await products().select().eq('category_id', 1).single();
    expect({ status: many.status, code: many.error?.code }).toEqual({ status: 406, code: 'PGRST116' });
  });

  test('maybeSingle returns the one object or null, and an error for several rows', async () => {
    expect((await products().select('id').eq('id', 1).maybeSingle()).data).toEqual({ id: 1 });
    const none = await products().select('id').eq('id', 999).maybeSingle();
    expect({ data: none.data, error: none.error }).toEqual({ data: null, error: null });
    const many = await products().select('id').in('id', [1, 2]).maybeSingle();
    expect(many.error?.code).toBe('PGRST116');
  });

  test('csv', async () => {
    const { data, error } = await products().select('id, product_name, quantity_per_unit').in('id', [1, 24]).csv();
    expect(error).toBeNull();
    expect(data!.trimEnd().split(/\r?\n/)).toEqual([
      'id,product_name,quantity_per_unit',
      '1,Chai,10 boxes x 30 bags',
      '24,Guaraná Fantástica,12 - 355 ml cans',
    ]);
  });

  test('stripNulls, for lists and for single objects', async () => {
    await restoring([1], async () => {
      await products().update({ unit_price: null }).eq('id', 1);
      const list = await products().select('id, unit_price').lte('id', 2).stripNulls();
      expect(list.data as unknown).toEqual([{ id: 1 }, { id: 2, unit_price: 19 }]);
      const single = await products().select('id, unit_price').eq('id', 1).stripNulls().single();
      expect(single.data as unknown).toEqual({ id: 1 });
    });
  });

  test('explain is rejected, as in PostgREST without plans enabled', async () => {
    const { error, status } = await products().select().explain();
    expect({ status, code: error?.code }).toEqual({ status: 406, code: 'PGRST107' });
  });

  test('abortSignal', async () => {
    const { error } = await products().select().abortSignal(AbortSignal.abort());
    expect(error!.message).toContain('AbortError');
  });

  test('a URL with thousands of ids', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => index + 70);
    expect(await idsOf(ids().in('id', many))).toEqual([70, 71, 72, 73, 74, 75, 76, 77]);
  });
});

describe.each(FILES)('insert on %s', (file) => {
  beforeAll(() => use(file));

  test('one row, without returning it', () =>
    restoring([], async () => {
      const { data, error, status, count } = await products().insert({ id: 1001, product_name: 'One' });
      expect({ data, error, status, count }).toEqual({ data: null, error: null, status: 201, count: null });
      expect(await idsOf(ids().eq('product_name', 'One'))).toEqual([1001]);
    }));

  test('one row, returned with its assigned id and defaults', () =>
    restoring([], async () => {
      const { data, status } = await products().insert({ product_name: 'One' }).select().single();
      expect(status).toBe(201);
      expect(data).toEqual({
        id: expect.any(Number),
        product_name: 'One',
        discontinued: 0,
        supplier_id: null,
        category_id: null,
        quantity_per_unit: null,
        unit_price: null,
        units_in_stock: null,
        units_on_order: null,
        reorder_level: null,
      });
    }));

  test('several rows with different columns, with defaults from defaultToNull: false and a count', () =>
    restoring([], async () => {
      const rows = [
        { id: 1001, product_name: 'One', discontinued: 1 },
        { id: 1002, product_name: 'Two', unit_price: 2.5 },
      ];
      const { data, count, error } = await products()
        .insert(rows, { defaultToNull: false, count: 'exact' })
        .select('id, discontinued, unit_price');
      expect(error).toBeNull();
      expect({ data, count }).toEqual({
        data: [
          { id: 1001, discontinued: 1, unit_price: null },
          { id: 1002, discontinued: 0, unit_price: 2.5 },
        ],
        count: 2,
      });
    }));

  test('several rows with different columns: a missing required column is null, and nothing is stored', async () => {
    const { error, status } = await products().insert([
      { id: 1001, product_name: 'One', discontinued: 1 },
      { id: 1002, product_name: 'Two' },
    ]);
    expect({ status, code: error?.code }).toEqual({ status: 400, code: '23502' });
    expect(await idsOf(ids().gt('id', 1000))).toEqual([]);
  });

  test('an empty list stores nothing and is not an error', async () => {
    const { data, error, status } = await products().insert([]).select();
    expect({ data, error, status }).toEqual({ data: [], error: null, status: 201 });
  });

  test('a duplicate id is a 409 with all details', async () => {
    const { data, error, status, statusText } = await products().insert({ id: 1, product_name: 'Again' });
    expect({ data, status, statusText }).toEqual({ data: null, status: 409, statusText: 'Conflict' });
    expect(error as unknown).toEqual({
      code: '23505',
      message: 'duplicate key value violates unique constraint "products_pkey"',
      details: 'Key (id)=(1) already exists.',
      hint: null,
      index: 0,
      field: 'id',
      value: 1,
    });
  });
});

describe.each(FILES)('upsert on %s', (file) => {
  beforeAll(() => use(file));

  test('inserts new rows and merges existing ones', () =>
    restoring([1], async () => {
      const { data, error, status, count } = await products()
        .upsert(
          [
            { id: 1, product_name: 'Chai, renamed' },
            { id: 1001, product_name: 'New' },
          ],
          { onConflict: 'id', count: 'exact' },
        )
        .select('id, product_name, unit_price')
        .order('id');
      expect({ error, count }).toEqual({ error: null, count: 2 });
      expect([200, 201]).toContain(status);
      expect(data).toEqual([
        { id: 1, product_name: 'Chai, renamed', unit_price: 18 },
        { id: 1001, product_name: 'New', unit_price: null },
      ]);
    }));

  test('ignoreDuplicates does not change existing rows', () =>
    restoring([], async () => {
      const { data, error } = await products()
        .upsert(
          [
            { id: 1, product_name: 'Ignored' },
            { id: 1001, product_name: 'New' },
          ],
          { ignoreDuplicates: true },
        )
        .select('id, product_name');
      expect(error).toBeNull();
      expect(data).toEqual([{ id: 1001, product_name: 'New' }]);
      expect((await products().select('product_name').eq('id', 1).single()).data).toEqual({ product_name: 'Chai' });
    }));

  test('defaultToNull: false gives new rows their defaults', () =>
    restoring([], async () => {
      const { data, error } = await products()
        .upsert(
          [
            { id: 1001, product_name: 'A' },
            { id: 1002, product_name: 'B', discontinued: 1 },
          ],
          {
            defaultToNull: false,
          },
        )
        .select('id, discontinued');
      expect(error).toBeNull();
      expect(data).toEqual([
        { id: 1001, discontinued: 0 },
        { id: 1002, discontinued: 1 },
      ]);
    }));

  test('onConflict on a field that is not unique is rejected', async () => {
    const { error, status } = await products().upsert({ product_name: 'A' }, { onConflict: 'product_name' });
    expect({ status, code: error?.code }).toEqual({ status: 400, code: '42P10' });
  });
});

describe.each(FILES)('update on %s', (file) => {
  beforeAll(() => use(file));

  test('changes the given fields of the matching rows, without returning them', () =>
    restoring([1, 2], async () => {
      const { data, error, status } = await products().update({ unit_price: 1.25 }).in('id', [1, 2]);
      expect({ data, error, status }).toEqual({ data: null, error: null, status: 204 });
      expect((await products().select('id, product_name, unit_price').lte('id', 2)).data).toEqual([
        { id: 1, product_name: 'Chai', unit_price: 1.25 },
        { id: 2, product_name: 'Chang', unit_price: 1.25 },
      ]);
    }));

  test('with count and select', () =>
    restoring([1, 2], async () => {
      const { data, count, status } = await products()
        .update({ discontinued: 0 }, { count: 'exact' })
        .lte('id', 2)
        .select('id, discontinued')
        .order('id', { ascending: false });
      expect({ data, count, status }).toEqual({
        data: [
          { id: 2, discontinued: 0 },
          { id: 1, discontinued: 0 },
        ],
        count: 2,
        status: 200,
      });
    }));

  test('that matches nothing is not an error', async () => {
    expect((await products().update({ unit_price: 1 }).eq('id', 999)).status).toBe(204);
    const { data, count, status } = await products()
      .update({ unit_price: 1 }, { count: 'exact' })
      .eq('id', 999)
      .select();
    expect({ data, count, status }).toEqual({ data: [], count: 0, status: 200 });
  });

  test('single: a write that does not affect exactly one row is rolled back', async () => {
    const { error, status } = await products().update({ unit_price: 1 }).lte('id', 2).select().single();
    expect({ status, code: error?.code }).toEqual({ status: 406, code: 'PGRST116' });
    expect((await products().select('unit_price').eq('id', 1).single()).data).toEqual({ unit_price: 18 });
  });

  test('maxAffected: a write that affects more rows is rejected and rolled back', () =>
    restoring([1, 2], async () => {
      const over = await products().update({ unit_price: 1 }).lte('id', 2).maxAffected(1);
      expect({ status: over.status, code: over.error?.code }).toEqual({ status: 400, code: 'PGRST124' });
      expect((await products().select('unit_price').eq('id', 1).single()).data).toEqual({ unit_price: 18 });
      expect((await products().update({ unit_price: 1 }).lte('id', 2).maxAffected(2)).error).toBeNull();
    }));

  test('rollback: the complete response, and nothing is stored', async () => {
    const { data, status } = await products().update({ unit_price: 1 }).eq('id', 1).select('id, unit_price').rollback();
    expect({ data, status }).toEqual({ data: [{ id: 1, unit_price: 1 }], status: 200 });
    expect((await products().select('unit_price').eq('id', 1).single()).data).toEqual({ unit_price: 18 });
  });

  test('without a filter is rejected', async () => {
    const { error, status } = await products().update({ unit_price: 1 });
    expect({ status, code: error?.code }).toEqual({ status: 400, code: '21000' });
  });
});

describe.each(FILES)('delete on %s', (file) => {
  beforeAll(() => use(file));

  test('without returned rows, and with count and select', () =>
    restoring([1, 2, 3], async () => {
      const silent = await products().delete().eq('id', 1);
      expect({ data: silent.data, error: silent.error, status: silent.status }).toEqual({
        data: null,
        error: null,
        status: 204,
      });
      const told = await products().delete({ count: 'exact' }).in('id', [1, 2, 3]).select('id').order('id');
      expect({ data: told.data, count: told.count, status: told.status }).toEqual({
        data: [{ id: 2 }, { id: 3 }],
        count: 2,
        status: 200,
      });
    }));

  test('maxAffected and rollback', async () => {
    const over = await products().delete().lte('id', 2).maxAffected(1);
    expect({ status: over.status, code: over.error?.code }).toEqual({ status: 400, code: 'PGRST124' });
    const dry = await products().delete().eq('id', 1).select('id').rollback();
    expect(dry.data).toEqual([{ id: 1 }]);
    expect(await idsOf(ids().lte('id', 2))).toEqual([1, 2]);
  });

  test('without a filter is rejected', async () => {
    const { error, status } = await products().delete();
    expect({ status, code: error?.code }).toEqual({ status: 400, code: '21000' });
    expect((await products().select('*', { count: 'exact', head: true })).count).toBe(77);
  });
});

describe.each(FILES)('errors on %s', (file) => {
  beforeAll(() => use(file));

  test('the error for an unknown column names the nearest one', async () => {
    const { error, status } = await ids().eq('product_nam' as 'id', 1);
    expect({ status, code: error?.code }).toEqual({ status: 400, code: '42703' });
    expect(`${error!.message} ${error!.hint}`).toContain('product_name');
  });

  test('a value of the wrong type is rejected', async () => {
    const { error, status } = await ids().eq('id', 'one' as unknown as number);
    expect({ status, code: error?.code }).toEqual({ status: 400, code: '22P02' });
  });

  test('a table that does not exist is rejected', async () => {
    const { error, status } = await (client as PostgrestClient).from('orders').select();
    expect({ status, code: error?.code }).toEqual({ status: 404, code: 'PGRST205' });
  });

  test('throwOnError throws a complete PostgrestError', async () => {
    const failure: unknown = await Promise.resolve(
      ids()
        .eq('id', 'one' as unknown as number)
        .throwOnError(),
    ).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PostgrestError);
    expect((failure as PostgrestError).code).toBe('22P02');
  });

  test('the schema named public is accepted', async () => {
    const { status, error } = await new PostgrestClient<Database>((await services.on(file)).url, { schema: 'public' })
      .from('products')
      .select('id')
      .limit(1);
    expect({ status, error }).toEqual({ status: 200, error: null });
  });
});
