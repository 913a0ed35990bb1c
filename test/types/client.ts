/**
 * Type tests for the output of `catalogue types` with the client of PostgREST. This code does not run: `tsc` checks it,
 * and fails if a line marked as an error compiles.
 */
import { PostgrestClient } from '@supabase/postgrest-js';
import type { Database } from './database.ts';

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
function expectSame<One, Other>(_same: Same<One, Other>): void {}

type Tables = Database['public']['Tables'];

export async function reads(client: PostgrestClient<Database>): Promise<void> {
  const whole = await client.from('products').select('*');
  expectSame<typeof whole.data, Tables['products']['Row'][] | null>(true);

  const some = await client.from('products').select('id, name:product_name, unit_price').single();
  expectSame<typeof some.data, { id: number; name: string; unit_price: number | null } | null>(true);

  await client.from('products').select().gt('unit_price', 10).order('product_name');
  // @ts-expect-error a field that does not exist
  await client.from('products').select().eq('price', 10);
  // @ts-expect-error a value of another type
  await client.from('products').select().eq('unit_price', 'ten');
  const page = await client.from('products').select('id', { count: 'exact' }).range(0, 9).maybeSingle();
  expectSame<typeof page.data, { id: number } | null>(true);

  const aggregates = await client.from('products').select('category_id, units:units_in_stock.sum()');
  expectSame<typeof aggregates.data, { category_id: number | null; units: number }[] | null>(true);

  // @ts-expect-error a collection that does not exist
  client.from('suppliers');
  // @ts-expect-error a function that does not exist
  await client.rpc('restock');
  const embedded = await client.from('products').select('id, suppliers(name)');
  // The built-in catalogue has no relationships, so the client types return an error instead of embedded rows.
  type Embedded = NonNullable<typeof embedded.data>[number]['suppliers'];
  expectSame<Embedded extends { error: true } ? true : false, true>(true);
}

export async function writes(client: PostgrestClient<Database>): Promise<void> {
  await client.from('products').insert({ product_name: 'Tea' });
  await client.from('products').insert([{ id: 100, product_name: 'Tea', unit_price: null }]);
  await client.from('products').update({ unit_price: 9.5 }).eq('id', 1);
  await client
    .from('products')
    .update({ units_in_stock: { decrement: 2 }, unit_price: { multiply: 1.05, round: 1 } })
    .eq('id', 1);
  type Update = Tables['products']['Update'];
  // @ts-expect-error an operation that does not exist
  const unknown: Update = { units_in_stock: { add: 2 } };
  // @ts-expect-error a key takes no operation
  const key: Update = { id: { increment: 2 } };
  await client
    .from('products')
    .update({ ...unknown, ...key })
    .eq('id', 1);
  const made = await client.from('products').insert({ product_name: 'Tea' }).select().single();
  expectSame<typeof made.data, Tables['products']['Row'] | null>(true);
  await client.from('products').upsert({ id: 1, product_name: 'Chai' }, { onConflict: 'id', ignoreDuplicates: true });
  const gone = await client.from('products').delete().in('id', [1, 2]).select('product_name');
  expectSame<typeof gone.data, { product_name: string }[] | null>(true);
  // @ts-expect-error a value of another type
  await client.from('products').insert({ product_name: 'Tea', units_in_stock: 'many' });
  // @ts-expect-error a required field is missing
  await client.from('products').insert({ unit_price: 1 });
  // @ts-expect-error a required field is never null
  await client.from('products').update({ product_name: null }).eq('id', 1);
  // @ts-expect-error a field that does not exist
  await client.from('products').update({ price: 1 }).eq('id', 1);
}

export const client = (url: string) => new PostgrestClient<Database>(url);
