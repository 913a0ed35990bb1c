/**
 * Content codings (RFC 9110, 8.4 and 12.5.3): clients that accept one get the same response in fewer bytes. Other
 * clients get it uncompressed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as zlib from 'node:zlib';
import { MIN_COMPRESSED_LENGTH } from '../../../src/base/limits/http.ts';
import type { Row } from '../../../src/collection/value.ts';
import { type Catalogue, openCatalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import {
  expectRefusal,
  ownCatalogue,
  reference,
  sendJson,
  sharedCatalogue,
  TEN_FIELDS,
} from '../../support/stories.ts';

const DECODERS = { gzip: zlib.gunzipSync, br: zlib.brotliDecompressSync, zstd: zlib.zstdDecompressSync } as const;
type Coding = keyof typeof DECODERS;
const CODINGS = Object.keys(DECODERS) as Coding[];

const accepting = (header: string, more: Record<string, string> = {}) => ({
  headers: { 'accept-encoding': header, ...more },
});
const codingOf = (response: Response) => response.headers.get('content-encoding') as Coding | null;

/** Decodes the text of a response with any coding. */
async function textOf(response: Response): Promise<string> {
  const bytes = await response.bytes();
  const coding = codingOf(response);
  return (coding === null ? Buffer.from(bytes) : DECODERS[coding](bytes)).toString();
}

describe.each(TWO_ENGINES)('compression on %s', (engine) => {
  const catalogue = sharedCatalogue(engine);

  test.each(CODINGS)('a list in %s is the same list in fewer bytes, computed or cached', async (coding) => {
    const plain = await catalogue.fetch('/products?order=id.desc');
    const text = await plain.text();
    for (let time = 0; time < 4; time++) {
      const response = await catalogue.fetch('/products?order=id.desc', accepting(coding));
      expect(codingOf(response)).toBe(coding);
      const bytes = await response.clone().bytes();
      expect(bytes.length).toBeLessThan(text.length / 3);
      expect(await textOf(response)).toBe(text);
      for (const name of ['content-type', 'content-range', 'content-location', 'vary', 'cache-control']) {
        expect([name, response.headers.get(name)]).toEqual([name, plain.headers.get(name)!]);
      }
    }
    expect((await catalogue.fetch('/products?order=id.desc')).headers.has('content-encoding')).toBe(false);
  });

  test.each(['text/csv', 'application/x-ndjson', 'application/vnd.pgrst.array+json;nulls=stripped'])(
    'a list as %s is compressed and decodes to the same text',
    async (accept) => {
      const text = await (await catalogue.fetch('/products', { headers: { accept } })).text();
      const response = await catalogue.fetch('/products', accepting('gzip', { accept }));
      expect(codingOf(response)).toBe('gzip');
      expect(await textOf(response)).toBe(text);
    },
  );

  test('a client that does not accept a coding gets an uncompressed response', async () => {
    for (const init of [{}, accepting(''), accepting('identity'), accepting('deflate'), accepting('compress, x')]) {
      const response = await catalogue.fetch('/products', init);
      expect(codingOf(response)).toBeNull();
      expect(((await response.json()) as Row[]).length).toBe(77);
    }
  });

  test('a short response is sent uncompressed', async () => {
    for (const path of ['/products/1', '/products?limit=2', '/products?id=eq.0']) {
      const response = await catalogue.fetch(path, accepting('gzip'));
      expect(codingOf(response)).toBeNull();
      expect((await response.text()).length).toBeLessThan(MIN_COMPRESSED_LENGTH);
    }
  });

  test.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'zstd'],
    ['gzip;q=0.9, br;q=0.1', 'gzip'],
    ['gzip ; q=0.9 , zstd;q=0.8', 'gzip'],
    ['br;q=0, *', 'zstd'],
    ['zstd;q=0, br;q=0, *;q=0.1', 'gzip'],
    ['gzip;q=1.000, zstd;q=0.999', 'gzip'],
    ['identity;q=0.5, gzip;q=0.4', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=0.000', null],
    ['gzip;q=2', null],
    ['gzip;q=x, br', 'br'],
    [',,gzip,', 'gzip'],
    ['*;q=0, identity', null],
  ] as const)('Accept-Encoding: %s is answered in %s', async (header, coding) => {
    const response = await catalogue.fetch('/products', accepting(header));
    expect([response.status, codingOf(response)]).toEqual([200, coding]);
    expect((JSON.parse(await textOf(response)) as Row[]).length).toBe(77);
  });

  test('a client that rejects identity gets even a short response compressed', async () => {
    for (let time = 0; time < 3; time++) {
      expect(codingOf(await catalogue.fetch('/products/1', accepting('gzip')))).toBeNull();
      const response = await catalogue.fetch('/products/1', accepting('gzip, identity;q=0'));
      expect(codingOf(response)).toBe('gzip');
      expect(JSON.parse(await textOf(response))).toEqual(reference(1));
    }
  });

  test.each(['identity;q=0', '*;q=0', 'deflate, *;q=0', 'gzip;q=0, br;q=0, zstd;q=0, identity;q=0'])(
    'a client that accepts no supported coding (%s) gets 406, and its write is not applied',
    async (header) => {
      await expectRefusal(await catalogue.fetch('/products', accepting(header)), 406, 'CAT406');
      const post = sendJson('POST', TEN_FIELDS, { 'accept-encoding': header });
      await expectRefusal(await catalogue.fetch('/products', post), 406, 'CAT406');
    },
  );

  test('responses vary by Accept-Encoding, and caches must revalidate them', async () => {
    for (const path of ['/products', '/products/1']) {
      for (const init of [{}, accepting('gzip')]) {
        const { headers } = await catalogue.fetch(path, init);
        expect(headers.get('vary')!.split(', ')).toContain('Accept-Encoding');
        expect(headers.get('cache-control')).toBe('no-cache');
      }
    }
    // Many caches keep a 404 for minutes unless a header forbids it.
    expect((await catalogue.fetch('/products/9999')).headers.get('cache-control')).toBe('no-cache');
  });

  describe('tags', () => {
    const tagOf = async (path: string, header = 'identity') =>
      (await catalogue.fetch(path, accepting(header))).headers.get('etag')!;

    test('each coding has its own strong tag', async () => {
      const tags = await Promise.all(['identity', ...CODINGS].map((coding) => tagOf('/products', coding)));
      expect(new Set(tags).size).toBe(4);
      for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/);
    });

    test('a tag of the same coding gives 304, computed or cached', async () => {
      for (const coding of CODINGS) {
        const tag = await tagOf('/products?limit=50', coding);
        for (let time = 0; time < 4; time++) {
          const response = await catalogue.fetch('/products?limit=50', accepting(coding, { 'if-none-match': tag }));
          expect(response.status).toBe(304);
          expect(response.headers.get('etag')).toBe(tag);
          expect(response.headers.get('vary')).toContain('Accept-Encoding');
          expect(response.headers.get('cache-control')).toBe('no-cache');
          expect(response.headers.has('content-encoding')).toBe(false);
          expect(await response.text()).toBe('');
        }
        const other = await catalogue.fetch('/products?limit=50', { headers: { 'if-none-match': tag } });
        expect(other.status).toBe(200);
      }
    });

    test('HEAD has the headers of GET, and no wrong Content-Length', async () => {
      for (let time = 0; time < 3; time++) {
        const got = await catalogue.fetch('/products?limit=40', accepting('gzip'));
        const head = await catalogue.fetch('/products?limit=40', { method: 'HEAD', ...accepting('gzip') });
        expect(await head.text()).toBe('');
        for (const name of ['etag', 'content-encoding', 'vary', 'content-type', 'content-range']) {
          expect(head.headers.get(name)).toBe(got.headers.get(name)!);
        }
        expect(head.headers.has('content-length')).toBe(false);
      }
    });
  });
});

describe.each(TWO_ENGINES)('compression and writes on %s', (engine) => {
  const catalogue = ownCatalogue(engine);

  test('the tag of a compressed product guards a write, and is rejected once it is outdated', async () => {
    const product_name = 'Sea Buckthorn Jam '.repeat(100);
    await catalogue.fetch('/products', sendJson('POST', { ...TEN_FIELDS, product_name }));
    const read = () => catalogue.fetch(`/products/${TEN_FIELDS.id}`, accepting('br'));
    const tag = (await read()).headers.get('etag')!;
    expect(codingOf(await read())).toBe('br');
    const change = (unit_price: number, etag: string) =>
      catalogue.fetch(`/products/${TEN_FIELDS.id}`, {
        ...sendJson(
          'PATCH',
          { unit_price },
          { 'if-match': etag, prefer: 'return=representation', 'accept-encoding': 'zstd' },
        ),
      });
    const changed = await change(8, tag);
    expect([changed.status, codingOf(changed)]).toEqual([200, 'zstd']);
    expect(JSON.parse(await textOf(changed))).toEqual([{ ...TEN_FIELDS, product_name, unit_price: 8 }]);
    await expectRefusal(await change(9, tag), 412, 'CAT412');
    expect((await change(9, changed.headers.get('etag')!)).status).toBe(200);
  });

  test('a cached compressed response is not served after the data has changed', async () => {
    const read = async () => JSON.parse(await textOf(await catalogue.fetch('/products', accepting('gzip')))) as Row[];
    for (let price = 1; price <= 3; price++) {
      await catalogue.fetch('/products?id=eq.1', sendJson('PATCH', { unit_price: price }));
      for (let time = 0; time < 3; time++) expect((await read())[0]!.unit_price).toBe(price);
    }
  });
});

describe.each(TWO_ENGINES)('compression of large results on %s', (engine) => {
  const COUNT = 8_000;
  let catalogue: Catalogue;
  const rows: Row[] = Array.from({ length: COUNT }, (_, index) => ({
    ...TEN_FIELDS,
    id: index + 1,
    product_name: `Jar ${index} of Lakkalikööri ${(index * 7919) % 10_007}`,
  }));
  beforeAll(async () => {
    catalogue = await openCatalogue(engine);
    await catalogue.fetch('/products?id=not.is.null', { method: 'DELETE' });
    expect((await catalogue.fetch('/products', sendJson('POST', rows))).status).toBe(201);
  });
  afterAll(() => catalogue.close());

  test.each(CODINGS)('the whole list in %s', async (coding) => {
    const response = await catalogue.fetch('/products', accepting(coding));
    expect(codingOf(response)).toBe(coding);
    expect(Bun.deepEquals(JSON.parse(await textOf(response)), rows)).toBe(true);
  });

  test.each(CODINGS)('concurrent pages of some hundred kilobytes in %s', async (coding) => {
    const offsets = Array.from({ length: 8 }, (_, index) => index * 1000);
    for (let time = 0; time < 3; time++) {
      const pages = offsets.map((offset) => catalogue.fetch(`/products?limit=900&offset=${offset}`, accepting(coding)));
      for (const [index, page] of (await Promise.all(pages)).entries()) {
        const found = JSON.parse(await textOf(page)) as Row[];
        expect(Bun.deepEquals(found, rows.slice(offsets[index]!, offsets[index]! + 900))).toBe(true);
      }
    }
  });

  test('clients that stop reading, or read only the head, do not block other requests', async () => {
    for (let round = 0; round < 5; round++) {
      const reader = (await catalogue.fetch('/products', accepting('gzip'))).body!.getReader();
      await reader.read();
      await reader.cancel();
      const head = await catalogue.fetch('/products', { method: 'HEAD', ...accepting('gzip') });
      expect([head.status, codingOf(head)]).toEqual([200, 'gzip']);
    }
    expect(await catalogue.list('/products?limit=2')).toEqual(rows.slice(0, 2));
  });
});
