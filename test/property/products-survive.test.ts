/** Every valid product is returned unchanged, for every way to send and read it. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Row } from '../../src/collection/value.ts';
import { type Catalogue, ENGINES, openCatalogue } from '../support/engines/catalogue.ts';
import { distinctProducts, product, RUNS } from '../support/generated/generators.ts';
import { send, sendJson } from '../support/stories.ts';

const byId = (one: Row, other: Row) => Number(one.id) - Number(other.id);

function asCsv(rows: readonly Row[]): string {
  const cell = (value: Row[string]) => (value === null ? 'NULL' : `"${String(value).replaceAll('"', '""')}"`);
  return [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row).map((value) => cell(value!)))]
    .map((cells) => cells.join(','))
    .join('\n');
}

describe.each(Object.keys(ENGINES))('generated products on %s', (engine) => {
  /** Deletes the reference products first, so that every id is free. */
  async function withEmptyCatalogue(story: (catalogue: Catalogue) => Promise<void>): Promise<void> {
    const catalogue = await openCatalogue(engine);
    try {
      await catalogue.fetch('/products?id=not.is.null', { method: 'DELETE' });
      await story(catalogue);
    } finally {
      await catalogue.close();
    }
  }

  test('are unchanged after POST and GET, by id, by filter and in the list', async () => {
    await withEmptyCatalogue(async (catalogue) => {
      await fc.assert(
        fc.asyncProperty(product, async (sent) => {
          expect((await catalogue.fetch('/products', sendJson('POST', sent))).status).toBe(201);
          expect(await (await catalogue.fetch(`/products/${sent.id}`)).json()).toEqual(sent);
          expect(await catalogue.list(`/products?id=eq.${sent.id}`)).toEqual([sent]);
          const name = encodeURIComponent(sent.product_name as string);
          expect(await catalogue.list(`/products?product_name=eq.${name}`)).toEqual([sent]);
          expect(await catalogue.list()).toEqual([sent]);
          await catalogue.fetch(`/products/${sent.id}`, { method: 'DELETE' });
        }),
        { numRuns: 6 * RUNS },
      );
    });
  });

  test('are unchanged when sent together, as an array and as CSV, and return in id order', async () => {
    await withEmptyCatalogue(async (catalogue) => {
      await fc.assert(
        fc.asyncProperty(distinctProducts(12), fc.boolean(), async (sent, inCsv) => {
          const request = inCsv ? send('POST', 'text/csv', asCsv(sent)) : sendJson('POST', sent);
          expect((await catalogue.fetch('/products', request)).status).toBe(201);
          expect(await catalogue.list()).toEqual(sent.toSorted(byId));
          await catalogue.fetch('/products?id=not.is.null', { method: 'DELETE' });
        }),
        { numRuns: 6 * RUNS },
      );
    });
  });

  test('are unchanged after a CSV download and upload', async () => {
    await withEmptyCatalogue(async (catalogue) => {
      await fc.assert(
        fc.asyncProperty(distinctProducts(12), fc.boolean(), async (sent, isMarked) => {
          await catalogue.fetch('/products', sendJson('POST', sent));
          const accept = isMarked ? 'text/csv;bom=true' : 'text/csv';
          const csv = await (await catalogue.fetch('/products', { headers: { accept } })).arrayBuffer();
          await catalogue.fetch('/products?id=not.is.null', { method: 'DELETE' });
          expect((await catalogue.fetch('/products', send('POST', 'text/csv', csv))).status).toBe(201);
          expect(await catalogue.list()).toEqual(sent.toSorted(byId));
          await catalogue.fetch('/products?id=not.is.null', { method: 'DELETE' });
        }),
        { numRuns: 6 * RUNS },
      );
    });
  });

  test('replace another product completely by PUT, and are returned in the response', async () => {
    await withEmptyCatalogue(async (catalogue) => {
      await fc.assert(
        fc.asyncProperty(product, product, async (first, second) => {
          const replacement = { ...second, id: first.id! };
          await catalogue.fetch('/products', sendJson('POST', first));
          const put = sendJson('PUT', replacement, { prefer: 'return=representation' });
          expect(await (await catalogue.fetch(`/products?id=eq.${first.id}`, put)).json()).toEqual([replacement]);
          expect(await catalogue.list()).toEqual([replacement]);
          await catalogue.fetch(`/products/${first.id}`, { method: 'DELETE' });
        }),
        { numRuns: 6 * RUNS },
      );
    });
  });
});
