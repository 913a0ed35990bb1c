/** The document at `/`, in the shape that tools for PostgREST and Supabase read: Swagger 2.0. */
import { expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiPages } from '../../../src/openapi/pages.ts';
import { ROLE_SHOP, ROLE_SHOP_ROWS } from '../../support/engines/role-shop.ts';
import { identify } from '../../support/engines/roles.ts';
import { openDeclared, SHOP, SHOP_ROWS } from '../../support/engines/shop.ts';

type Properties = Record<string, { type?: string; format?: string; description?: string }>;
interface Root {
  readonly swagger: string;
  readonly paths: Record<string, Record<string, { parameters: { $ref: string }[] }>>;
  readonly definitions: Record<string, { required?: string[]; properties: Properties }>;
}

const pagesOf = (catalogue: typeof SHOP) =>
  openApiPages({ catalogue, rows: () => [], version: '1.0.0', license: 'MIT' }, () => '/console');

test('the document is valid, with a path and a definition for each collection', async () => {
  const shop = await openDeclared('SQLite', SHOP, SHOP_ROWS, { pages: pagesOf(SHOP) });
  const response = await shop.fetch('/');
  expect(response.headers.get('content-type')).toBe('application/openapi+json; charset=utf-8');
  const root = (await response.json()) as Root;
  const validation = await new Validator().validate(JSON.parse(JSON.stringify(root)));
  expect(validation).toMatchObject({ valid: true });
  expect(root.swagger).toBe('2.0');
  expect(Object.keys(root.definitions)).toEqual([...SHOP.collections.keys()]);
  expect(Object.keys(root.paths)).toEqual(['/', ...[...SHOP.collections.keys()].map((name) => `/${name}`)]);
  const { required, properties } = root.definitions.products!;
  expect(required).toContain('id');
  expect(properties.id).toMatchObject({ type: 'integer', description: 'Note:\nThis is a Primary Key.<pk/>' });
  expect(properties.category_id!.description).toContain("<fk table='categories' column='id'/>");
  expect(Object.keys(root.paths['/products']!).sort()).toEqual(['delete', 'get', 'patch', 'post']);
  const [filter] = root.paths['/products']!.get!.parameters;
  expect(filter).toEqual({ $ref: '#/parameters/rowFilter.products.id' });
  await shop.close();
});

test('a role finds the collections, fields and methods that it may use', async () => {
  const shop = await openDeclared('SQLite', ROLE_SHOP, ROLE_SHOP_ROWS, { pages: pagesOf(ROLE_SHOP), identify });
  const as = async (role: string) => (await (await shop.fetch('/', { headers: { 'x-role': role } })).json()) as Root;
  const [admin, supplier] = [await as('admin'), await as('supplier')];
  expect(admin.definitions.products!.properties).toHaveProperty('cost');
  expect(supplier.definitions.products!.properties).not.toHaveProperty('cost');
  expect(supplier.definitions).not.toHaveProperty('categories');
  expect(Object.keys(supplier.paths)).not.toContain('/categories');
  await shop.close();
});
