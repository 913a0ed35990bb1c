/**
 * The OpenAPI document by role: it contains only what the caller may read and write. A caller without a role gets no
 * document.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { consolePages, startPath } from '../../../src/console/pages.ts';
import { firstPage } from '../../../src/http/pages.ts';
import { healthPages } from '../../../src/observe/health.ts';
import { openApiPages } from '../../../src/openapi/pages.ts';
import { ROLE_SHOP, ROLE_SHOP_ROWS, ROLE_SHOP_YAML } from '../../support/engines/role-shop.ts';
import { declaredBy, openRoled, type Roled } from '../../support/engines/roles.ts';
import { expectRefusal } from '../../support/stories.ts';

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, { readonly properties: object }>>>>;
}

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];
const described = (catalogue = ROLE_SHOP) => ({
  catalogue,
  rows: (name: string) => ROLE_SHOP_ROWS[name] ?? [],
  version: '1.0.0',
  license: 'MIT',
});
const pagesOf = (catalogue = ROLE_SHOP) =>
  firstPage(
    healthPages({ notReady: async () => undefined, families: () => [] }, { metrics: true }),
    openApiPages(described(catalogue), startPath),
    consolePages(described(catalogue)),
  );

describe('the OpenAPI document', () => {
  let shop: Roled;
  beforeAll(async () => {
    shop = await openRoled('SQLite', ROLE_SHOP, ROLE_SHOP_ROWS, { pages: pagesOf() });
  });
  afterAll(() => shop.close());

  const documentFor = async (role?: string, claims?: Readonly<Record<string, unknown>>) =>
    JSON.parse(await shop.as(role, claims).text('/openapi.json')) as Described;
  const methodsOf = ({ paths }: Described, path: string) =>
    METHODS.filter((method) => paths[path]?.[method] !== undefined);
  const propertiesOf = ({ components }: Described, schema: string) =>
    Object.keys(components.schemas![schema]!.properties);

  test('names the collections and operations of the role', async () => {
    const document = await documentFor();
    expect(
      Object.keys(document.paths).filter((path) => /^\/[a-z_]+$/.test(path) && !/live|ready|metrics/.test(path)),
    ).toEqual(['/categories', '/products', '/tags', '/product_tags', '/changes']);
    expect(methodsOf(document, '/products')).toEqual(['get']);
    expect(methodsOf(document, '/products/{id}')).toEqual(['get']);
    const writing = await documentFor('supplier', { supplier_id: 1 });
    expect(methodsOf(writing, '/products')).toEqual(METHODS);
    expect(methodsOf(await documentFor('inbox'), '/products')).toEqual(['post']);
    expect(methodsOf(await documentFor('admin'), '/suppliers')).toEqual(METHODS);
  });

  test('lists /batch for a role that may write, and /changes, read-only, for one that may read', async () => {
    const [visitor, inbox, admin] = [await documentFor(), await documentFor('inbox'), await documentFor('admin')];
    const shared = ['/batch', '/changes', '/changes/{seq}'];
    const listed = ({ paths }: Described) => shared.filter((path) => paths[path] !== undefined);
    expect(listed(visitor)).toEqual(shared.slice(1));
    expect(listed(inbox)).toEqual(['/batch']);
    expect(listed(admin)).toEqual(shared);
    for (const path of shared.slice(1)) expect(methodsOf(admin, path)).toEqual(['get']);
  });

  test('has the fields that the role can read, create and update', async () => {
    expect(propertiesOf(await documentFor(), 'products')).toEqual(['id', 'name', 'price', 'category_id']);
    const supplier = await documentFor('supplier', { supplier_id: 1 });
    expect(propertiesOf(supplier, 'products')).toEqual(['id', 'name', 'sku', 'stock', 'supplier_id']);
    expect(propertiesOf(supplier, 'products.new')).toEqual(['name', 'sku', 'shelf', 'place', 'supplier_id']);
    expect(propertiesOf(supplier, 'products.changes')).toEqual(['name', 'sku', 'stock', 'shelf', 'supplier_id']);
  });

  test('contains no hidden name or value', async () => {
    for (const path of ['/', '/openapi.json', '/docs', '/console']) {
      const text = await shop.as(undefined).text(path);
      expect(text).not.toMatch(/cost|bank_account|discontinued|suppliers|Old tea|Secret/);
    }
    expect(await shop.as('admin').text('/openapi.json')).toContain('bank_account');
  });

  test('is valid for every role, and has no dangling references', async () => {
    for (const role of ROLE_SHOP.roles!.keys()) {
      const document = await documentFor(role, { supplier_id: 1 });
      const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
      expect({ role, valid, errors }).toEqual({ role, valid: true, errors: undefined });
      const components = Object.entries(document.components).flatMap(([kind, all]) =>
        Object.keys(all).map((name) => `#/components/${kind}/${name}`),
      );
      const used = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
      expect(used.filter((ref) => !components.includes(ref))).toEqual([]);
      expect(components.filter((each) => !used.includes(each) && !each.includes('securitySchemes'))).toEqual([]);
    }
  });

  test('is cacheable only by the caller', async () => {
    const { headers } = await shop.as(undefined).fetch('/openapi.json');
    expect(headers.get('vary')).toContain('Authorization');
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });
});

describe('without an anonymous role', () => {
  let shop: Roled;
  beforeAll(async () => {
    const catalogue = declaredBy(
      ROLE_SHOP_YAML.replace('  anonymous:', '  visitor:').replace('[anonymous]', '[visitor]'),
    );
    shop = await openRoled('SQLite', catalogue, ROLE_SHOP_ROWS, { pages: pagesOf(catalogue) });
  });
  afterAll(() => shop.close());

  test.each(['/products', '/products/1', '/nothing', '/', '/openapi.json', '/docs'])(
    'a request without credentials gets 401: %s',
    async (path) => {
      const response = await shop.as(undefined).fetch(path);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      await expectRefusal(response, 401, 'PGRST302');
    },
  );

  test('the health check and preflight requests need no credentials', async () => {
    for (const path of ['/live', '/ready', '/metrics']) {
      expect((await shop.as(undefined).fetch(path)).status).toBe(200);
    }
    expect((await shop.as(undefined).fetch('/products', { method: 'OPTIONS' })).status).toBe(200);
  });

  test('a caller with a role gets a response', async () => {
    expect(await shop.as('visitor').list('/products?select=id')).toHaveLength(3);
  });
});
