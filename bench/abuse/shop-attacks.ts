/** Hostile requests to the shop: files, feeds, history, forms and batches. */
import { pictureOf } from '../../test/support/pictures.ts';
import type { Attack } from './attacks.ts';
import { authorizationOf, QUOTA_MEGABYTES, type Shop } from './shop.ts';

const SIDES = [64, 128, 192, 256, 320, 384, 512, 768, 1024, 1536, 2048];
const FORMATS = ['webp', 'jpeg', 'png'];
const JSON_TYPE = 'application/json';
/** A list whose rows depend on joins of the products with themselves. */
const deepFeed = (index: number) =>
  `/products?select=id,categories!inner(id,products!inner(id,categories!inner(products!inner(id))))&categories.products.categories.products.note=match.x${index}$`;

const download = (atOnce: number): Attack<Shop> => ({
  name: `${atOnce} downloads of 20 MB`,
  run: (shop) => shop.again(atOnce, () => shop.ask(shop.paths.document)),
});

/** Another size each time; the order separates sizes that are alike. */
function* sizes(): Generator<string> {
  for (let index = 0; ; index++) {
    const [width, height] = [SIDES[(index * 7) % SIDES.length], SIDES[Math.floor(index / 11) % SIDES.length]];
    const fit = Math.floor(index / 121) % 2 === 0 ? 'cover' : 'inside';
    yield `?width=${width}&height=${height}&fit=${fit}&format=${FORMATS[index % 3]}`;
  }
}

/** A picture of 100 million pixels in some kilobytes: 1 bit per pixel, all the same. */
function hugePicture(): Buffer {
  const picture = Buffer.from(pictureOf(10_000, 10_000, new Uint8Array(10_000 * 1_251)));
  // The depth and the color type (gray), and the checksum of the header.
  picture.set([1, 0], 24);
  picture.writeUInt32BE(Bun.hash.crc32(picture.subarray(12, 29)), 29);
  return picture;
}

/** Opens feeds and reads them until the time is up. */
async function follow(shop: Shop, count: number, path: (index: number) => string, authorization?: string) {
  const headers = { accept: 'text/event-stream', ...(authorization === undefined ? {} : { authorization }) };
  const signal = AbortSignal.timeout(Math.max(1, Math.floor(shop.remainingMs)));
  await shop.again(count, (index) => shop.ask(path(index), { headers, signal }));
}

async function manyFeeds(shop: Shop): Promise<void> {
  const users = await Promise.all(
    Array.from({ length: 10 }, (_, user) => authorizationOf('editor', `follower ${user}`)),
  );
  const cheap = (user: number) => (index: number) => `/products?id=eq.${10 + user * 100 + index}&select=id,name`;
  await Promise.all(users.map((authorization, user) => follow(shop, 100, cheap(user), authorization)));
}

/** Every product has these words, several times. */
const FREQUENT = 'quick brown "lazy dog" fo';
const MISSPELT = Array.from({ length: 64 }, (_, index) => `jumqs${'abcdefgh'[index % 8]}${'abcdefgh'[index >> 3]}`);

export const SHOP_ATTACKS: readonly Attack<Shop>[] = [
  {
    name: 'searches that find everything',
    run: (shop) => {
      const path = `/products?search=wfts.${FREQUENT}&select=id,search->highlight&facets=category_id,search->words&limit=20`;
      const headers = { accept: 'application/vnd.catalogue.facets+json' };
      return shop.again(20, () => shop.ask(path, { headers }));
    },
  },
  {
    name: 'searches for 64 misspelt words',
    run: (shop) => shop.again(20, () => shop.ask(`/products?search=wfts.${MISSPELT.join(' or ')}&limit=20`)),
  },
  download(4),
  download(20),
  {
    name: '200 thumbnail sizes',
    run: (shop) => {
      const all = sizes();
      return shop.again(200, () => shop.ask(`${shop.paths.picture}${all.next().value}`));
    },
  },
  {
    name: 'pictures of 10,000 × 10,000',
    run: async (shop) => {
      const picture = hugePicture();
      const headers = { authorization: await authorizationOf('editor', 'painter'), 'content-type': 'image/png' };
      // Bytes after the end make each one another picture.
      const body = () => Buffer.concat([picture, Buffer.from(crypto.randomUUID())]);
      await shop.again(12, () => shop.ask('/files', { method: 'POST', headers, body: body() }));
    },
  },
  { name: 'costly feeds', run: (shop) => follow(shop, 4, deepFeed) },
  { name: '1,000 cheap feeds', run: manyFeeds },
  {
    name: 'costly feeds and 1,000 cheap feeds',
    run: async (shop) => void (await Promise.all([follow(shop, 4, deepFeed), manyFeeds(shop)])),
  },
  {
    name: '400 feeds of long rows that nobody reads',
    run: async (shop) => {
      const beginning = (index: number) =>
        `GET /notes?id=lte.20&id=neq.${-index} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n`;
      const headers = {
        authorization: await authorizationOf('administrator', 'writer of notes'),
        'content-type': JSON_TYPE,
      };
      let count = 0;
      const change = () => {
        const body = JSON.stringify({ body: String(count).padEnd(1_000_000, 'x') });
        return shop.ask(`/notes?id=eq.${1 + (count++ % 20)}`, { method: 'PATCH', headers, body });
      };
      const feeds = Array.from({ length: 400 }, (_, index) => shop.held(1, beginning(index)));
      await Promise.all([shop.again(1, change), ...feeds]);
    },
  },
  {
    name: 'as-of on a long log',
    prepare: (shop) => shop.beforeLongLog(),
    run: async (shop) => {
      const headers = { prefer: `as-of=${await shop.beforeLongLog()}` };
      const past = { prefer: 'as-of=2001-01-01T00:00:00Z' };
      await Promise.all([
        shop.again(4, () => shop.ask('/products?limit=1', { headers })),
        shop.again(4, () => shop.ask('/changes?limit=1', { headers: past })),
      ]);
    },
  },
  {
    name: 'undo of thousands by anyone',
    run: (shop) => shop.again(4, () => shop.ask('/changes/undo?collection=eq.notes', { method: 'POST' })),
  },
  {
    name: 'a search of the guide with 200,000 words',
    // In a checkout, the first page builds the console.
    prepare: (shop) => shop.ask('/docs/guide/index'),
    run: (shop) => shop.again(4, () => shop.ask(`/docs/guide/index?q=${'e+'.repeat(200_000)}`)),
  },
  {
    name: 'a form of 100,000 parts',
    run: async (shop) => {
      const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n';
      const body = `${part.repeat(100_000)}--b--\r\n`;
      const authorization = await authorizationOf('editor', 'sender of forms');
      const headers = { authorization, 'content-type': 'multipart/form-data; boundary=b' };
      await shop.again(4, () => shop.ask('/files', { method: 'POST', headers, body }));
    },
  },
  {
    name: 'batches of 1,000 inserts',
    run: async (shop) => {
      const insert = (index: number) => ({ method: 'POST', path: '/orders', body: { body: `order ${index}` } });
      const body = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => insert(index)));
      const headers = {
        authorization: await authorizationOf('editor', 'sender of batches'),
        'content-type': JSON_TYPE,
      };
      await shop.again(4, () => shop.ask('/batch', { method: 'POST', headers, body }));
    },
  },
  {
    // The last one, because the space is used up afterwards.
    name: 'parallel uploads over the quota',
    run: async (shop) => {
      const headers = { authorization: await authorizationOf('editor', 'uploader'), 'content-type': 'text/plain' };
      const body = () => Buffer.alloc(8_000_000, crypto.randomUUID());
      await shop.again(12, () => shop.ask('/files', { method: 'POST', headers, body: body() }));
    },
    check: async (shop) => {
      const stored = await shop.storedMegabytes();
      return stored > QUOTA_MEGABYTES ? `stores ${stored.toFixed(0)} MB of ${QUOTA_MEGABYTES} MB` : undefined;
    },
  },
];
