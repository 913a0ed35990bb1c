/**
 * Type tests like client.ts, for a declared catalogue with references: embedded rows have their types. This code does
 * not run.
 */
import { PostgrestClient } from '@supabase/postgrest-js';
import type { Database, Json } from './shop-database.ts';

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
function expectSame<One, Other>(_same: Same<One, Other>): void {}

type Tables = Database['public']['Tables'];

export async function embeds(client: PostgrestClient<Database>): Promise<void> {
  const toOne = await client.from('products').select('id, categories(category_name)');
  expectSame<typeof toOne.data, { id: number; categories: { category_name: string } | null }[] | null>(true);

  const toMany = await client.from('categories').select('category_name, products(id, attributes)').single();
  expectSame<typeof toMany.data, { category_name: string; products: { id: number; attributes: Json | null }[] } | null>(
    true,
  );

  const throughAnother = await client.from('products').select('id, labels(label)');
  expectSame<typeof throughAnother.data, { id: number; labels: { label: string }[] }[] | null>(true);

  const hinted = await client.from('products').select('id, maker:suppliers!supplier_id(company_name)').single();
  expectSame<typeof hinted.data, { id: number; maker: { company_name: string } | null } | null>(true);

  const byConstraint = await client.from('products').select('suppliers!products_second_supplier_id_fkey(country)');
  expectSame<typeof byConstraint.data, { suppliers: { country: string | null } | null }[] | null>(true);

  const required = await client.from('products').select('id, categories!inner(category_name)');
  expectSame<typeof required.data, { id: number; categories: { category_name: string } }[] | null>(true);

  const nested = await client.from('prices').select('amount, products(product_name, categories(id))').single();
  expectSame<
    typeof nested.data,
    { amount: number; products: { product_name: string; categories: { id: number } | null } } | null
  >(true);

  const spread = await client.from('products').select('id, ...categories(category_name)').single();
  expectSame<NonNullable<typeof spread.data>['id'], number>(true);

  const ambiguous = await client.from('products').select('id, suppliers(company_name)');
  type Ambiguous = NonNullable<typeof ambiguous.data>[number]['suppliers'];
  expectSame<Ambiguous extends { error: true } ? true : false, true>(true);

  const unrelated = await client.from('suppliers').select('id, labels(label)');
  type Unrelated = NonNullable<typeof unrelated.data>[number]['labels'];
  expectSame<Unrelated extends { error: true } ? true : false, true>(true);
}

export async function writes(client: PostgrestClient<Database>): Promise<void> {
  const made = await client.from('labels').insert({ label: 'new' }).select().single();
  expectSame<typeof made.data, Tables['labels']['Row'] | null>(true);
  await client
    .from('prices')
    .upsert({ product_id: 1, currency: 'EUR', amount: 2 }, { onConflict: 'product_id,currency' });
  // @ts-expect-error a part of the key is missing
  await client.from('prices').insert({ product_id: 1, amount: 2 });
  await client
    .from('products')
    .update({ tags: ['new'], attributes: { origin: { iso: 'FI' } } })
    .eq('id', 1);
  // @ts-expect-error a value of another type
  await client.from('products').update({ tags: 'new' }).eq('id', 1);
  await client.from('products').delete().in('id', [1, 2]).maxAffected(2);
}

export const client = (url: string) => new PostgrestClient<Database>(url);
