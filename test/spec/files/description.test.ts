/** The OpenAPI document and the TypeScript types of a catalogue with files. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { served } from '../../../src/collection/files.ts';
import { typeScriptTypes } from '../../../src/openapi/types.ts';
import { authorize } from '../../../src/plan/access/permissions.ts';
import type { Catalogue } from '../../support/engines/catalogue.ts';
import { declaredBy } from '../../support/engines/roles.ts';
import { openDeclared } from '../../support/engines/shop.ts';
import { complaintsAbout, documentOf, METHODS, type OpenApi, operations } from '../../support/openapi.ts';
import { PICTURE } from '../../support/pictures.ts';
import { send } from '../../support/stories.ts';

const yamlOf = (name: string) => readFileSync(new URL(`../../types/${name}`, import.meta.url), 'utf8');
const DECLARED = declaredBy(yamlOf('pictures.yaml'));
const ROLED = declaredBy(`
collections:
  products: { fields: { id: int4, image: image, sheet: file } }
roles:
  visitor: { products: { read: { fields: [id, image] } } }
  painter: { products: { create: { fields: [id, image] } } }
  editor: { products: { read: true, update: { fields: [image] } } }
`);
const described = documentOf({ catalogue: DECLARED, rows: () => [] });

/** The methods of the paths for files. */
function filePaths({ paths }: OpenApi): Record<string, string[]> {
  const own = Object.entries(paths).filter(([path]) =>
    /^(\/catalogue)?\/files|\/(image|sheet|logo|manual|gallery)$/.test(path),
  );
  return Object.fromEntries(own.map(([path, each]) => [path, METHODS.filter((method) => method in each)]));
}

describe('the document of a catalogue with files', () => {
  test('is valid, and resolves every reference', async () => {
    const { errors = [], valid } = await new Validator().validate(structuredClone(described) as never);
    expect({ errors, valid }).toEqual({ errors: [], valid: true });
    const text = JSON.stringify(described);
    const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, path]) => path!));
    const present = Object.entries(described.components).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `${kind}/${name}`),
    );
    expect([...referred].sort()).toEqual(present.sort());
    const ids = operations(described).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(text).not.toContain('catalogue_file');
  });

  test('has upload, download, signed URLs and a PUT for each field', () => {
    expect(filePaths(described)).toEqual({
      '/brands/{id}/logo': ['put'],
      '/products/{id}/image': ['put'],
      '/products/{id}/manual': ['put'],
      '/products/{id}/gallery': ['post'],
      '/files': ['get', 'post'],
      '/files/{id}': ['get'],
      '/files/{id}/{name}': ['get'],
      '/files/{id}/sign': ['post'],
    });
    const { manual, gallery } = described.components.schemas.products!.properties;
    expect([manual, gallery]).toMatchObject([
      {
        format: 'uuid',
        description: expect.stringContaining('Files of application/pdf. Files of at most 5000000 bytes.'),
      },
      { type: ['array', 'null'], maxItems: 5 },
    ]);
    const { description } = described.tags.find(({ name }) => name === 'products')!;
    expect([...description.matchAll(/`([^`]+)` \(/g)].map(([, name]) => name)).toEqual(['image', 'manual', 'gallery']);
  });

  test('has what a role may do', () => {
    const pathsOf = (role: string) => {
      const { catalogue } = authorize(ROLED)({ role, claims: {} }).permissions!;
      return filePaths(documentOf({ catalogue, rows: () => [] }));
    };
    const reads = {
      '/files/{id}': ['get'],
      '/files/{id}/{name}': ['get'],
      '/files/{id}/sign': ['post'],
    };
    expect(pathsOf('visitor')).toEqual({ '/files': ['get'], ...reads });
    expect(pathsOf('painter')).toEqual({ '/files': ['post'] });
    expect(pathsOf('editor')).toEqual({
      '/products/{id}/image': ['put'],
      '/files': ['get', 'post'],
      ...reads,
    });
  });

  test('has names with any characters', () => {
    const own = declaredBy('collections: { "Bücher 1": { fields: { id: int4, "das Bild": image } } }');
    expect(Object.keys(documentOf({ catalogue: own, rows: () => [] }).paths)).toContain(
      '/B%C3%BCcher%201/{id}/das%20Bild',
    );
  });

  test('has the names that do not collide with a collection called files', () => {
    const own = declaredBy('collections: { files: { fields: { id: int4, image: image } } }');
    expect(filePaths(documentOf({ catalogue: own, rows: () => [] }))).toMatchObject({
      '/files': ['get', 'post', 'put', 'patch', 'delete'],
      '/files/{id}/image': ['put'],
      '/catalogue/files': ['post'],
      '/catalogue/files/{id}/{name}': ['get'],
    });
    expect(typeScriptTypes(served(own))).toContain("referencedRelation: 'catalogue_files'");
  });
});

test('the types are those that test/types compiles with the client', () => {
  expect(typeScriptTypes(served(DECLARED))).toBe(yamlOf('pictures-database.ts'));
});

describe('the service', () => {
  let shop: Catalogue;
  beforeAll(async () => {
    shop = await openDeclared('SQLite', DECLARED);
  });
  afterAll(() => shop.close());

  test('answers as the document says, and embeds files by the hint that the types need', async () => {
    const ask = async (route: string, path: string, init: RequestInit = {}) => {
      const response = await shop.fetch(path, init);
      const { status, headers } = response;
      const contentType = headers.get('content-type');
      const text = contentType?.startsWith('application/json') ? await response.text() : '';
      const method = init.method ?? 'GET';
      expect({ path, wrong: complaintsAbout(route, method, { status, contentType, body: text }, described) }).toEqual({
        path,
        wrong: [],
      });
      return { status, body: text === '' ? undefined : JSON.parse(text) };
    };
    const form = new FormData();
    form.append('file', new Blob([PICTURE]), 'tea.png');
    const { body: image } = await ask('/files', '/files', send('POST', 'image/png', PICTURE));
    await ask('/files', '/files', { method: 'POST', body: form });
    await ask('/files', '/files', send('POST', 'image/gif', PICTURE));
    await ask('/files', '/files');
    await ask('/files/{id}', `/files/${image.id}`);
    await ask(
      '/products',
      '/products',
      send('POST', 'application/json', JSON.stringify({ id: 1, name: 'Tea', image: image.id })),
    );
    await ask('/products/{id}/manual', '/products/1/manual', send('PUT', 'image/png', PICTURE));
    await ask('/products/{id}/image', '/products/1/image', send('PUT', 'image/png', PICTURE));
    await ask('/products/{id}/gallery', '/products/1/gallery', send('POST', 'image/png', PICTURE));
    await ask('/products/{id}/gallery', '/products/1/gallery', { method: 'POST', body: form });
    const bytes = `/files/${image.id}/tea.png`;
    const statuses = [];
    for (const headers of [
      {},
      { range: 'bytes=0-9' },
      { range: 'bytes=900000-' },
      { 'if-none-match': `"${image.sha256}"` },
    ]) {
      statuses.push((await ask('/files/{id}/{name}', bytes, { headers })).status);
    }
    expect(statuses).toEqual([200, 206, 416, 304]);
    await ask('/files/{id}/{name}', `${bytes}?width=0`);
    await ask('/files/{id}/{name}', `/files/${crypto.randomUUID()}/x`);
    await ask('/files/{id}/sign', `/files/${image.id}/sign?expires=1h`, { method: 'POST' });
    expect(await shop.list('/products?select=name,image:files!image(width),manual:files!manual(size)')).toEqual([
      { name: 'Tea', image: { width: 40 }, manual: null },
    ] as never);
  });
});
