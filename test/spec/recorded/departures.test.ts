/** Differences that docs/explanation/differences-from-postgrest.md lists, where no other test covers them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Catalogue, ENGINES, openCatalogue } from '../../support/engines/catalogue.ts';

describe.each(Object.keys(ENGINES))('differences from PostgREST on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openCatalogue(engine);
  });
  afterAll(() => catalogue.close());

  test.each(['planned', 'estimated'])('count=%s returns the exact number', async (kind) => {
    const response = await catalogue.fetch('/products?unit_price=gt.50&limit=2', {
      headers: { Prefer: `count=${kind}` },
    });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe('0-1/7');
  });

  test('CSV has quotes only if RFC 4180 requires them, and each line ends with a line feed', async () => {
    const rows = [
      { product_name: 'Tea (black) \\ green', quantity_per_unit: '' },
      { product_name: 'Jam, "sweet"', quantity_per_unit: null },
    ];
    const response = await catalogue.fetch('/products?select=product_name,quantity_per_unit', {
      method: 'POST',
      headers: { Accept: 'text/csv', Prefer: 'return=representation, tx=rollback' },
      body: JSON.stringify(rows),
    });
    expect(await response.text()).toBe('product_name,quantity_per_unit\nTea (black) \\ green,""\n"Jam, ""sweet""",\n');
  });

  test('an error has its code in the body and, also for HEAD, in Proxy-Status', async () => {
    const response = await catalogue.fetch('/nothing');
    expect(await response.json()).toHaveProperty('code', 'PGRST205');
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await catalogue.fetch('/nothing', { method });
      expect(headers.get('proxy-status')).toBe('PostgREST; error=PGRST205');
    }
  });
});
