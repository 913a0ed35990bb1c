/** Type tests like client.ts, for file fields: embedded files have their types. This code does not run. */
import { PostgrestClient } from '@supabase/postgrest-js';
import type { Database } from './pictures-database.ts';

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
function expectSame<One, Other>(_same: Same<One, Other>): void {}

export async function embeds(client: PostgrestClient<Database>): Promise<void> {
  const whole = await client.from('products').select().single();
  expectSame<
    typeof whole.data,
    { id: number; name: string; image: string; manual: string | null; gallery: string[] | null } | null
  >(true);

  const embedded = await client.from('brands').select('id, logo(name, width)').single();
  expectSame<typeof embedded.data, { id: number; logo: { name: string; width: number | null } } | null>(true);

  // The client asks for a hint if a row has several files.
  const hinted = await client.from('products').select('name, image:files!image(name), manual:files!manual(size)');
  expectSame<typeof hinted.data, { name: string; image: { name: string }; manual: { size: number } | null }[] | null>(
    true,
  );

  const files = await client.from('files').select('id, media_type').eq('media_type', 'image/png');
  expectSame<typeof files.data, { id: string; media_type: string }[] | null>(true);
}

export async function writes(client: PostgrestClient<Database>): Promise<void> {
  await client.from('products').insert({ name: 'Tea', image: '0b0e7a5c-8d0f-4f6b-9a53-5b1f2c6d7e80' });
  await client.from('products').update({ manual: null }).eq('id', 1);
  // @ts-expect-error the picture is missing
  await client.from('products').insert({ name: 'Tea' });
  // @ts-expect-error an id is a text
  await client.from('products').update({ image: 1 }).eq('id', 1);
}

export const client = (url: string) => new PostgrestClient<Database>(url);
