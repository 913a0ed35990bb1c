/** Type tests like client.ts, for stored queries: arguments and rows have their types. This code does not run. */
import type { PostgrestClient } from '@supabase/postgrest-js';
import type { Database } from './query-database.ts';

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
function expectSame<One, Other>(_same: Same<One, Other>): void {}

export async function calls(client: PostgrestClient<Database>): Promise<void> {
  const whole = await client.rpc('low_stock', { threshold: 5 });
  expectSame<typeof whole.data, Database['public']['Tables']['products']['Row'][] | null>(true);

  const shaped = await client.rpc('low_stock', {}).select('name, categories(title)').limit(1);
  expectSame<typeof shaped.data, { name: string; categories: { title: string } | null }[] | null>(true);

  await client.rpc('by_ids', { ids: [1, 2] }, { get: true });
  // @ts-expect-error the argument is missing
  await client.rpc('by_ids', {});
  // @ts-expect-error it is a number
  await client.rpc('low_stock', { threshold: 'many' });
}
