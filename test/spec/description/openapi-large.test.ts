/** The OpenAPI document of a large catalogue: generated in slices, and small for each collection. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type App, createApp } from '../../../src/app.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft, FieldDraft } from '../../../src/collection/draft.ts';
import { products } from '../../../src/collection/products.ts';
import { consolePages, startPath } from '../../../src/console/pages.ts';
import { EMPTY_QUERY } from '../../../src/dialect/query.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { firstPage } from '../../../src/http/pages.ts';
import { Health, healthPages } from '../../../src/observe/health.ts';
import { describe as describeCatalogue } from '../../../src/openapi/described.ts';
import { openApiDocument } from '../../../src/openapi/document.ts';
import { openApiPages } from '../../../src/openapi/pages.ts';
import { planItem } from '../../../src/plan/read/read.ts';
import { ENGINES } from '../../support/engines/catalogue.ts';
import type { OpenApi } from '../../support/openapi.ts';

const COLLECTIONS = 60;
/** The limit of a collection with ten fields. */
const MAX_BYTES_PER_COLLECTION = 8_000;
const MAX_SHARED_BYTES = 40_000;

const FIELDS: readonly FieldDraft[] = [
  { name: 'id', type: 'int4' },
  { name: 'label', type: 'text', required: true, maxLength: 80 },
  { name: 'amount', type: 'decimal(12,4)' },
  { name: 'count', type: 'int8', default: 0 },
  { name: 'state', type: 'text', oneOf: ['draft', 'live'] },
  { name: 'made_at', type: 'timestamptz', default: 'now' },
  { name: 'tags', type: 'text[]' },
  { name: 'notes', type: 'json' },
];

/** Each collection refers to the previous one and to the first, which therefore has many relationships. */
function manyCollections(count: number): CollectionDraft[] {
  const refersTo = (name: string, collection: string): FieldDraft => ({
    name,
    type: 'int4',
    references: { collection, onDelete: 'restrict' },
  });
  return Array.from({ length: count }, (_, index) => ({
    name: `things_${index}`,
    key: ['id'],
    fields:
      index === 0
        ? FIELDS
        : [...FIELDS, refersTo('previous_id', `things_${index - 1}`), refersTo('first_id', 'things_0')],
  }));
}

const catalogue = declareCatalogue({ collections: manyCollections(COLLECTIONS) });
const described = describeCatalogue({ catalogue, rows: () => [] });

let engine: Engine;
let app: App;
/** Starts a service with empty caches. */
function open(about = described): App {
  const [first] = about.catalogue.collections.values();
  const health = new Health(() => engine, planItem(first!, '0', EMPTY_QUERY).asked);
  return createApp({
    catalogue: about.catalogue,
    engine,
    maxBodyBytes: 1024,
    allowUnfilteredWrites: false,
    pages: firstPage(
      openApiPages(about, startPath),
      healthPages({ notReady: () => health.notReady(), families: () => [] }, { metrics: true }),
      consolePages(about),
    ),
  });
}
const ask = async (path: string, init?: RequestInit, of = app) =>
  of.fetch(new Request(`http://catalogue${path}`, init));

beforeAll(async () => {
  engine = await ENGINES.SQLite!();
  app = open();
});
afterAll(() => engine.close());

describe('other requests during the generation of a document', () => {
  /** Counts the requests that the event loop served before the document was complete. */
  async function answeredMeanwhile(path: string): Promise<number> {
    const fresh = open();
    // The scripts of the page are not part of the description.
    await ask('/console', {}, fresh);
    let isBuilt = false;
    const built = ask(path, {}, fresh).then((response) => {
      isBuilt = true;
      return response;
    });
    let answered = 0;
    while (!isBuilt) {
      expect((await ask('/live', {}, fresh)).status).toBe(200);
      await new Promise((resolve) => setImmediate(resolve));
      if (!isBuilt) answered++;
    }
    expect((await built).status).toBe(200);
    return answered;
  }

  test('get a response between the slices of the whole document, at least one per collection', async () => {
    expect(await answeredMeanwhile('/openapi.json')).toBeGreaterThanOrEqual(COLLECTIONS);
  });
});

describe('the document of many collections', () => {
  test('is the same in slices as in one piece, compressed or not', async () => {
    const expected = JSON.stringify(openApiDocument(described));
    const plain = await ask('/openapi.json');
    expect(await plain.text()).toBe(expected);
    const packed = await ask('/openapi.json', { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(new TextDecoder().decode(Bun.gunzipSync(await packed.arrayBuffer()))).toBe(expected);
    const tag = packed.headers.get('etag')!;
    const known = await ask('/openapi.json', { headers: { 'accept-encoding': 'gzip', 'if-none-match': tag } });
    expect(known.status).toBe(304);
    expect((await ask('/openapi.json', { method: 'HEAD' })).status).toBe(200);
  });

  test('two concurrent callers get the same document', async () => {
    const fresh = open();
    const [one, other] = await Promise.all([ask('/openapi.json', {}, fresh), ask('/openapi.json', {}, fresh)]);
    expect(await one!.text()).toBe(await other!.text());
  });

  test('lists the first embeddings of a collection with many references, and the number of the others', () => {
    const { tags } = openApiDocument(described) as unknown as OpenApi;
    const { description } = tags.find(({ name }) => name === 'things_0')!;
    expect(description.match(/`[^`]+` \(/g)!.length).toBeGreaterThan(25);
    expect(description).toMatch(/ and \d+ more\.$/);
  });

  test('has at most 8 kB for each collection with ten described fields', () => {
    const sizeOf = (count: number) => {
      const collections = Array.from({ length: count }, (_, at) => ({ ...products.draft, name: `products_${at}` }));
      const about = describeCatalogue({ catalogue: declareCatalogue({ collections }), rows: () => [] });
      return JSON.stringify(openApiDocument(about)).length;
    };
    expect(sizeOf(2) - sizeOf(1)).toBeLessThan(MAX_BYTES_PER_COLLECTION);
    const { length } = JSON.stringify(openApiDocument(described));
    expect(length).toBeLessThan(MAX_SHARED_BYTES + COLLECTIONS * MAX_BYTES_PER_COLLECTION);
  });
});
