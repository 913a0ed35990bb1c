/**
 * Generated searches over generated rows: both engines give equal answers, and rows that a role may not read change
 * nothing. An index that followed many writes answers as a new one.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Row } from '../../src/collection/value.ts';
import { TWO_ENGINES } from '../support/engines/catalogue.ts';
import { declaredBy, openRoled, type Roled } from '../support/engines/roles.ts';
import { RUNS, seededRandom } from '../support/generated/runs.ts';
import { sendJson } from '../support/stories.ts';

const SHOP = declaredBy(`
collections:
  brands:
    fields: { id: int4, name: text, country: text }
  products:
    fields:
      id: int4
      name: text
      brand_id: { type: int4, references: brands }
      tags: text[]
      description: text
      secret: { type: boolean, required: true }
    search: { fields: { name: 3, brand.name: 2, tags: 1, description: 1 }, language: english }
queries:
  find: { parameters: { words: text }, read: 'products?search=wfts.{words}&id=gt.3' }
roles:
  admin: all
  guest:
    call: [find]
    products: { read: { where: secret=is.false, fields: [id, name, brand_id, tags, secret] } }
    brands: { read: { where: country=eq.de, fields: [id, name, country] } }
`);
const WORDS = `red green blue shoe shoes shirt running runner walking leather cotton outdoor winter summer jacket
  jackets light strong café groß ab-1234 ab-1235 42 size large prototype zephyr`.split(/\s+/);
const FACETS = { accept: 'application/vnd.catalogue.facets+json' };

const random = seededRandom();
const below = (count: number) => Math.floor(random() * count);
const text = (most: number) => Array.from({ length: 1 + below(most) }, () => WORDS[below(WORDS.length)]!).join(' ');
const product = (id: number, secret: boolean): Record<string, unknown> => ({
  id,
  name: text(4),
  brand_id: 1 + below(6),
  tags: below(3) === 0 ? [text(1), text(2)] : null,
  description: text(12),
  secret,
});
const brands = Array.from({ length: 6 }, (_, at) => ({
  id: at + 1,
  name: text(2),
  country: at % 2 === 0 ? 'de' : 'fr',
}));
const visible = Array.from({ length: 60 }, (_, at) => product(at + 1, false));
const secretRows = (count: number) => Array.from({ length: count }, (_, at) => product(1_000 + at, true));
const rows = { brands, products: [...visible, ...secretRows(20)] };
/** Equal to the others in all that a guest may read. */
const otherSecrets = {
  brands: brands.map((brand) => (brand.country === 'de' ? brand : { ...brand, name: `${text(2)} xylophone` })),
  products: [...visible.map((each) => ({ ...each, description: text(12) })), ...secretRows(35)],
};

function anySearch(): string {
  const words = Array.from({ length: 1 + below(5) }, () => {
    const word = WORDS[below(WORDS.length)]!;
    const at = 1 + below(word.length);
    const forms = [word, word, word, word.slice(0, at), `${word.slice(0, at - 1)}${word.slice(at)}`, `-${word}`];
    return below(8) === 0 ? ['or', `"${word} ${text(1)}"`][below(2)]! : forms[below(forms.length)]!;
  });
  const columns = ['id,search', 'id,search->highlight', 'id,search,search->words'][below(3)]!;
  const more = ['', '&limit=5', '&id=gt.20', '&order=search.desc,id.desc', '&limit=3&offset=2'][below(5)]!;
  const facets = below(3) === 0 ? '&facets=search->words,brand_id' : '';
  const searched = encodeURIComponent(words.join(' '));
  const rows = facets === '' && below(3) === 0 ? `/rpc/find?words=${searched}` : `/products?search=wfts.${searched}`;
  return `${rows}&select=${columns}${more}${facets}`;
}

async function answer(shop: Roled, role: string, path: string): Promise<string> {
  const response = await shop.as(role).fetch(path, path.includes('facets=') ? { headers: FACETS } : {});
  expect([path, response.status]).toEqual([path, 200]);
  const found = (await response.json()) as { search?: unknown };
  return JSON.stringify([path, response.headers.get('link')?.length, found]);
}

const open = (engine: string, of: typeof rows | typeof otherSecrets) =>
  openRoled(engine, SHOP, of as unknown as Record<string, readonly Row[]>);
let shops: Roled[] = [];
let other: Roled;
beforeAll(async () => {
  shops = await Promise.all(TWO_ENGINES.map((engine) => open(engine, rows)));
  other = await open(TWO_ENGINES[0]!, otherSecrets);
});
afterAll(() => Promise.all([...shops, other].map((shop) => shop.close())));

test('both engines agree, and hidden rows and fields change no answer', async () => {
  for (let run = 0; run < 60 * RUNS; run++) {
    const path = anySearch();
    const role = below(2) === 0 ? 'admin' : 'guest';
    const [first, ...others] = await Promise.all(shops.map((shop) => answer(shop, role, path)));
    for (const each of others) expect(each).toBe(first!);
    if (role === 'guest') expect(await answer(other, role, path)).toBe(first!);
  }
});

test('after any writes, the index answers as a new one', async () => {
  const admin = (shop: Roled) => shop.as('admin');
  for (let run = 0; run < 30 * RUNS; run++) {
    const id = 1 + below(90);
    const writes: (readonly [string, RequestInit])[] = [
      [
        '/products?on_conflict=id',
        sendJson('POST', product(id, below(2) === 0), { prefer: 'resolution=merge-duplicates' }),
      ],
      [`/products?id=eq.${id}`, sendJson('PATCH', { name: text(4) })],
      [`/products?id=eq.${id}`, { method: 'DELETE' }],
      [`/brands?id=eq.${1 + below(6)}`, sendJson('PATCH', { name: text(2) })],
    ];
    const [path, write] = writes[below(writes.length)]!;
    for (const shop of shops) expect((await admin(shop).fetch(path, write)).status).toBeLessThan(300);
    if (below(3) === 0) for (const shop of shops) await answer(shop, 'admin', anySearch());
  }
  const stored = {
    brands: await admin(shops[0]!).list('/brands'),
    products: await admin(shops[0]!).list('/products'),
  };
  const fresh = await open(TWO_ENGINES[0]!, stored as never);
  for (let run = 0; run < 20 * RUNS; run++) {
    const path = anySearch();
    const expected = await answer(fresh, 'admin', path);
    for (const shop of shops) expect(await answer(shop, 'admin', path)).toBe(expected);
  }
  await fresh.close();
});
