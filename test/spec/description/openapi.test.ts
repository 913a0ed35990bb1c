/** The OpenAPI document is valid and complete, and matches the behaviour of the service. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { type App, createApp } from '../../../src/app.ts';
import { ERRORS } from '../../../src/base/errors.ts';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CollectionDraft, QueryDraft } from '../../../src/collection/draft.ts';
import { products } from '../../../src/collection/products.ts';
import { CONSOLE_PATH, consolePages, DOCS_PATH, startPath } from '../../../src/console/pages.ts';
import { AFTER, LOGIC_KEYS } from '../../../src/dialect/logic.ts';
import { OPERATORS } from '../../../src/dialect/operators.ts';
import { CHOICES } from '../../../src/dialect/prefer.ts';
import { EMPTY_QUERY, PARAMETERS } from '../../../src/dialect/query.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { BODY_TYPES } from '../../../src/http/body/parse-body.ts';
import { MEDIA_TYPES } from '../../../src/http/negotiate.ts';
import { firstPage } from '../../../src/http/pages.ts';
import { BATCH_PATH, UNDO_PATH } from '../../../src/http/target.ts';
import { Health, healthPages } from '../../../src/observe/health.ts';
import { openApiDocument } from '../../../src/openapi/document.ts';
import { openApiPages } from '../../../src/openapi/pages.ts';
import { SERVICE_PATHS } from '../../../src/openapi/paths/service-paths.ts';
import { typeScriptTypes } from '../../../src/openapi/types.ts';
import { planItem } from '../../../src/plan/read/read.ts';
import { ENGINES } from '../../support/engines/catalogue.ts';
import { SHOP, SHOP_ROWS } from '../../support/engines/shop.ts';
import {
  complaintsAbout,
  DESCRIBED,
  document,
  isWhole,
  METHODS,
  type OpenApi,
  objections,
  operations,
  shopDocument,
} from '../../support/openapi.ts';
import { cleanUp, run, temporaryFolder } from '../../support/processes/process.ts';
import { expectRefusal } from '../../support/stories.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

let engine: Engine;
let app: App;
const ask = async (path: string, init?: RequestInit) => app.fetch(new Request(`http://catalogue${path}`, init));

beforeAll(async () => {
  engine = await ENGINES.SQLite!();
  const health = new Health(() => engine, planItem(products, '0', EMPTY_QUERY).asked);
  app = createApp({
    catalogue: BUILT_IN.catalogue,
    engine,
    maxBodyBytes: 1024 * 1024,
    allowUnfilteredWrites: false,
    pages: firstPage(
      openApiPages(DESCRIBED, startPath),
      healthPages({ notReady: () => health.notReady(), families: () => [] }, { metrics: true }),
      consolePages(DESCRIBED),
    ),
  });
});
afterAll(async () => {
  await engine.close();
  await cleanUp();
});

/** A collection with other fields than the products, and without rows for examples. */
const OTHER: CollectionDraft = {
  name: 'planets',
  key: ['number'],
  fields: [
    { name: 'number', type: 'int4', required: true, description: 'Counted from the sun.' },
    { name: 'name', type: 'text', required: true, description: 'What it is called.' },
    { name: 'mass', type: 'decimal(12,4)', description: 'In earths.' },
    { name: 'moons', type: 'int4', required: true, default: 0, description: 'How many it has.' },
  ],
};
const QUERY: QueryDraft = {
  name: 'heavy',
  parameters: [
    { name: 'least', type: 'decimal(12,4)', description: 'In earths.' },
    { name: 'moons', type: 'int4', default: 1 },
  ],
  read: 'planets?mass=gte.{least}&moons=gte.{moons}',
};
const other = openApiDocument({
  ...DESCRIBED,
  catalogue: declareCatalogue({ collections: [OTHER], queries: [QUERY] }),
  rows: () => [],
}) as unknown as OpenApi;

describe.each([
  ['the products', document],
  ['another collection', other],
  ['the shop', shopDocument],
])('the document of %s', (_, described) => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(described)) as Record<string, unknown>);
    expect(result.errors ?? []).toEqual([]);
    expect({ valid: result.valid, version: validator.version }).toEqual({ valid: true, version: '3.1' });
  });

  test('resolves every reference, and uses every component', () => {
    const text = JSON.stringify(described);
    const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, path]) => path!));
    const present = Object.entries(described.components).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `${kind}/${name}`),
    );
    expect([...referred].sort()).toEqual(present.sort());
  });

  test('names each operation once, and describes it', () => {
    const all = operations(described).map(({ operation }) => operation);
    expect(all.length).toBeGreaterThan(15);
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    expect(all.filter(({ operationId }) => !/^[a-z_]+$/.test(operationId))).toEqual([]);
    expect(all.filter(({ summary }) => summary.length < 5)).toEqual([]);
    const tags = described.tags.map(({ name }) => name);
    expect([...new Set(all.flatMap((operation) => operation.tags))].sort()).toEqual(tags.sort());
    expect(described.tags.filter(({ description }) => description.length < 10)).toEqual([]);
  });

  test('names its licence, and asks for no credentials', () => {
    expect(described.info.license).toEqual({ name: 'MIT', identifier: 'MIT' });
    expect(described.security).toEqual([]);
  });

  test('has no `default`, which clients would send and generators would make required', () => {
    expect(JSON.stringify(described.components.schemas)).not.toContain('"default":');
  });

  test('has request bodies for POST, PATCH and PUT, and lists neither HEAD nor OPTIONS', () => {
    const withBody = operations(described).filter(({ operation }) => operation.requestBody !== undefined);
    expect([...new Set(withBody.map(({ method }) => method))].sort()).toEqual(['patch', 'post', 'put']);
    const methods = Object.values(described.paths).flatMap((path) => Object.keys(path));
    expect(methods.filter((method) => method === 'head' || method === 'options')).toEqual([]);
  });

  test('has every path once, also below /rest/v1', () => {
    expect(Object.keys(described.paths).filter((path) => path.startsWith('/rest/'))).toEqual([]);
    expect(described.servers.map(({ url }) => url)).toEqual(['/', '/rest/v1']);
  });

  test('has one filter for all collections: any field, and the logic that joins them', () => {
    const { filter } = described.components.parameters;
    expect(filter).toMatchObject({ in: 'query', style: 'form', explode: true, schema: { type: 'object' } });
    for (const name of [...LOGIC_KEYS, AFTER]) expect(JSON.stringify(filter!.schema)).toContain(`"${name}"`);
    for (const name of Object.keys(OPERATORS)) expect(filter!.description).toContain(`\`${name}\``);
  });
});

test('a document names only the fields of its own collection', () => {
  const text = JSON.stringify(other);
  const names = [products.name, ...products.fields.map((field) => field.name)].filter((name) => name !== 'id');
  expect(names.filter((name) => text.includes(name))).toEqual([]);
  for (const { name } of OTHER.fields) expect(text).toContain(`"${name}"`);
});

describe('the document of the shop', () => {
  const { paths, components, tags } = shopDocument;
  const property = (schema: string, field: string) => components.schemas[schema]!.properties[field] as object;

  test('has a tag and a path for each collection, and a path for a row if the key is one field', () => {
    const names = [...SHOP.collections.keys()];
    expect(tags.map(({ name }) => name)).toEqual([...names, 'changes', 'Batch', 'History', 'Describe', 'Observe']);
    expect(names.filter((name) => paths[`/${name}`] === undefined)).toEqual([]);
    const items = Object.keys(paths).filter((path) => path.includes('{id}'));
    expect(items).toEqual(
      ['categories', 'suppliers', 'products', 'labels', 'stock_moves'].map((name) => `/${name}/{id}`),
    );
  });

  test('has the rules of the fields in their schemas, and defaults as text', () => {
    expect(property('products', 'unit_price')).toMatchObject({ minimum: 0, maximum: 99999999.9999 });
    expect(property('products', 'sku')).toMatchObject({ pattern: '^[A-Z]-[0-9]{4}$', description: 'Unique.' });
    expect(property('labels.new', 'label')).toMatchObject({ type: 'string', maxLength: 20 });
    expect(property('products.new', 'status')).toMatchObject({
      enum: ['draft', 'live', 'retired'],
      description: 'The default is draft.',
    });
    expect(property('products.new', 'created_at')).toMatchObject({
      description: 'The default is the time of the request.',
    });
    expect(property('products', 'category_id')).toMatchObject({ description: 'Refers to a row of categories.' });
  });

  test('lists the embeddings, each by an unambiguous name', () => {
    const wordsOf = (collection: string) => tags.find(({ name }) => name === collection)!.description;
    const names = [...wordsOf('products').matchAll(/`([^`]+)` \(/g)].map(([, name]) => name!);
    expect(names.sort()).toEqual([
      'categories',
      'labels',
      'prices',
      'product_labels',
      'stock_moves',
      'suppliers!second_supplier_id',
      'suppliers!supplier_id',
    ]);
    expect(wordsOf('categories')).toContain('`parent_id` (one of categories, or null)');
  });

  test('uses a stored row as the example of each collection', () => {
    const { examples } = components.schemas.products as unknown as { examples: unknown[] };
    expect(examples).toMatchObject([{ id: 1, sku: SHOP_ROWS.products![0]!.sku }]);
    expect(objections('/components/schemas/products', examples[0], shopDocument)).toBeUndefined();
  });
});

/** A collection with the kinds of fields that generators used to get wrong. */
const STRICT = declareCatalogue({
  collections: [
    { name: 'channels', key: ['id'], fields: [{ name: 'id', type: 'int4' }] },
    {
      name: 'options',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4', references: { collection: 'channels', onDelete: 'restrict' } },
        { name: 'level', type: 'int4', required: true, oneOf: [1, 2] },
        { name: 'state', type: 'text', oneOf: ['draft', "it's"] },
        { name: 'since', type: 'date', oneOf: ['2026-01-01'] },
        { name: 'total', type: 'int4', readOnly: true },
      ],
    },
  ],
});

describe('code generated from the document', () => {
  const strict = openApiDocument({ ...DESCRIBED, catalogue: STRICT, rows: () => [] }) as unknown as OpenApi;
  const { schemas } = strict.components;

  test('every answer and body has one media type, JSON, so that generators give it one type', () => {
    const contents = [
      ...Object.values(strict.components.requestBodies).map(({ content }) => content),
      ...Object.values(strict.components.responses).map(({ content }) => content),
    ].filter((content) => content !== undefined);
    expect(contents.length).toBeGreaterThan(4);
    for (const content of contents) expect(Object.keys(content)).toEqual(['application/json']);
  });

  test('a readOnly field is never sent, and a key that is also a reference is required', () => {
    expect(schemas.options!.properties.total).toMatchObject({ readOnly: true });
    expect(Object.keys(schemas['options.new']!.properties)).toEqual(['id', 'level', 'state', 'since']);
    expect(Object.keys(schemas['options.changes']!.properties)).toEqual(['id', 'level', 'state', 'since']);
    expect(schemas['options.new']).toMatchObject({ required: ['id', 'level'] });
    expect(schemas['channels.new']).not.toHaveProperty('required');
  });

  test('`types` has the same fields, and a union for `oneOf`', () => {
    const text = typeScriptTypes(STRICT);
    const members = (name: string) => {
      const [, body] = new RegExp(`options: \\{.*?${name}: \\{(.*?)\\}`, 's').exec(text)!;
      return body!.trim().split(/\s*\n\s*/);
    };
    expect(members('Row')).toEqual([
      'id: number;',
      'level: 1 | 2;',
      "state: 'draft' | 'it\\'s' | null;",
      'since: string | null;',
      'total: number | null;',
    ]);
    expect(members('Insert')).toEqual([
      'id: number;',
      'level: 1 | 2;',
      "state?: 'draft' | 'it\\'s' | null;",
      'since?: string | null;',
    ]);
    expect(members('Update')).not.toContain('total?: number | null;');
  });
});

describe('the document and the service agree', () => {
  test('on the paths other than collections; HTML pages are not part of the API', async () => {
    const described = Object.keys(document.paths).filter((path) => !/^\/(products|changes$|changes\/\{)/.test(path));
    const own = Object.values(SERVICE_PATHS).flatMap((paths) => Object.keys(paths));
    expect(described).toEqual([BATCH_PATH, UNDO_PATH, ...own]);
    for (const path of [CONSOLE_PATH, DOCS_PATH]) {
      expect((await ask(path)).headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    await expectRefusal(await ask('/nothing'), 404, 'PGRST205');
  });

  test('on routes and methods', async () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const response = await ask(path.replace(/\{\w+\}/, '1'), { method: 'OPTIONS' });
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      const allowed = response.headers.get('allow')!.toLowerCase().split(',');
      const described = Object.keys(operations).filter((name) => METHODS.includes(name));
      const listed = allowed.filter((name) => METHODS.includes(name)).sort();
      expect({ path, methods: described.sort() }).toEqual({ path, methods: listed });
    }
  });

  test('on fields', () => {
    const names = products.fields.map((field) => field.name);
    for (const schema of ['products', 'products.new', 'products.changes']) {
      expect(Object.keys(document.components.schemas[schema]!.properties)).toEqual(names);
    }
  });

  test('on the other parameters', () => {
    const inQuery = Object.values(document.components.parameters).filter((parameter) => parameter.in === 'query');
    expect(inQuery.map(({ name }) => name).sort()).toEqual(['facets', 'filter', ...PARAMETERS].sort());
  });

  test('on the preferences', () => {
    const { description } = document.components.parameters.Prefer!;
    for (const [name, values] of Object.entries(CHOICES)) expect(description).toContain(`${name}=${values.join('|')}`);
  });

  test('on the media types of rows and bodies', () => {
    const types = [...BODY_TYPES, ...MEDIA_TYPES.filter((type) => type !== '*/*' && !/vnd\.pgrst\.\w+$/.test(type))];
    for (const type of types.filter((type) => type !== 'application/json')) {
      expect(document.info.description).toContain(type);
    }
  });

  test('on the error codes, each with its status', () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(document.components.responses.Error!.description).toContain(`| ${status} | \`${code}\` |`);
    }
  });

  test('on statuses, headers and media types: the document describes every response', async () => {
    const requests: [method: string, path: string, init?: RequestInit][] = [
      ['GET', '/products?limit=2'],
      ['GET', '/products?limit=2', { headers: { prefer: 'count=exact' } }],
      ['GET', '/products?offset=500', { headers: { prefer: 'count=exact' } }],
      ['GET', '/products?nope=eq.1'],
      ['GET', '/products', { headers: { accept: 'image/png' } }],
      ['GET', '/products', { headers: { accept: 'text/csv' } }],
      ['GET', '/products', { headers: { accept: 'application/x-ndjson' } }],
      ['GET', '/products?id=eq.1', { headers: { accept: 'application/vnd.pgrst.object+json' } }],
      ['GET', '/products?id=eq.1', { headers: { accept: 'application/vnd.pgrst.object+json;nulls=stripped' } }],
      ['GET', '/products?limit=2', { headers: { accept: 'application/vnd.pgrst.array+json;nulls=stripped' } }],
      ['GET', '/products?select=id::text,n:product_name&limit=2'],
      ['GET', '/products?select=category_id,unit_price.avg(),count()'],
      ['GET', '/products?select='],
      ['GET', '/products', { headers: { 'if-none-match': '*' } }],
      ['HEAD', '/products', { headers: { 'if-none-match': '*' } }],
      ['HEAD', '/products?limit=2', { headers: { prefer: 'count=exact' } }],
      ['POST', '/products', { body: '[]' }],
      ['POST', '/products', { body: '{"id":900,"product_name":"x"}', headers: { 'idempotency-key': 'one' } }],
      ['POST', '/products', { body: '{"id":900,"product_name":"x"}', headers: { 'idempotency-key': 'one' } }],
      ['POST', '/products', { body: '{"id":901}', headers: { 'idempotency-key': 'one' } }],
      ['POST', '/products', { body: '{"product_name":"y"}', headers: { prefer: 'return=representation' } }],
      [
        'POST',
        '/products',
        {
          body: '{"id":900,"product_name":"z"}',
          headers: { prefer: 'return=representation,resolution=merge-duplicates' },
        },
      ],
      ['POST', '/products', { body: '{"id":1,"product_name":"x"}' }],
      ['POST', '/products', { body: '{"product_name":"x"}', headers: { 'if-match': '*' } }],
      ['POST', '/products', { body: '', headers: { 'content-encoding': 'br' } }],
      ['POST', '/products', { body: ' '.repeat(2 * 1024 * 1024) }],
      ['PUT', '/products', { body: '{}' }],
      ['PUT', '/products?id=eq.902', { body: '{"id":902,"product_name":"x"}' }],
      ['PUT', '/products?id=eq.902', { body: '{"id":902,"product_name":"x"}', headers: { 'if-none-match': '*' } }],
      [
        'PUT',
        '/products?id=eq.903',
        { body: '{"id":903,"product_name":"x"}', headers: { prefer: 'return=representation' } },
      ],
      ['PATCH', '/products', { body: '{}' }],
      ['PATCH', '/products?id=eq.900', { body: '{"unit_price":1}', headers: { prefer: 'return=representation' } }],
      ['DELETE', '/products?id=eq.0'],
      ['DELETE', '/products?id=eq.900', { headers: { prefer: 'return=representation,count=exact' } }],
      ['OPTIONS', '/products'],
      ['GET', '/products/1'],
      ['GET', '/products/1?select=n:product_name'],
      ['GET', '/products/1', { headers: { accept: 'application/vnd.pgrst.object+json;nulls=stripped' } }],
      ['GET', '/products/1', { headers: { accept: 'text/csv' } }],
      ['GET', '/products/1', { headers: { accept: 'application/x-ndjson' } }],
      ['GET', '/products/1', { headers: { 'if-none-match': '*' } }],
      ['HEAD', '/products/1', { headers: { 'if-none-match': '*' } }],
      ['GET', '/products/0'],
      ['PATCH', '/products/1', { body: '{}', headers: { 'if-match': '"other"' } }],
      ['PATCH', '/products/1', { body: '{"unit_price":1}', headers: { 'idempotency-key': 'two' } }],
      ['PATCH', '/products/1', { body: '{"unit_price":1}', headers: { 'idempotency-key': 'two' } }],
      ['PUT', '/products/1', { body: '{"product_name":"x"}', headers: { prefer: 'return=representation' } }],
      ['PUT', '/products/1', { body: '{"product_name":"x"}', headers: { 'if-none-match': '*' } }],
      ['DELETE', '/products/902', { headers: { prefer: 'return=representation' } }],
      ['GET', '/'],
      ['GET', '/', { headers: { accept: BROWSER } }],
      ['HEAD', '/', { headers: { accept: BROWSER } }],
      ['GET', '/', { headers: { accept: 'text/csv' } }],
      ['HEAD', '/openapi.json', { headers: { 'if-none-match': '*' } }],
      ['GET', '/live'],
      ['GET', '/ready'],
      ['GET', '/metrics'],
    ];
    const undescribed: unknown[] = [];
    for (const [method, path, init] of requests) {
      const response = await ask(path, { method, ...init });
      const { status, headers } = response;
      const [, plain = '', query = ''] = /^([^?]*)\??(.*)$/.exec(path)!;
      const accept = new Headers(init?.headers).get('accept') ?? undefined;
      const route = plain.replace(/\d+$/, '{id}');
      if (!METHODS.includes(method.toLowerCase())) continue;
      const note = (what: unknown) => undescribed.push(`${method} ${path} ${JSON.stringify([init ?? {}, what])}`);
      const given = { status, contentType: headers.get('content-type'), body: await response.text() };
      for (const complaint of complaintsAbout(route, method, given, document, isWhole(query, accept))) note(complaint);
      for (const name of headers.keys()) {
        if (/^(content-range|link|location|preference|idempotency|retry|ratelimit|allow|catalogue)/.test(name)) {
          const described = Object.keys(document.components.headers).map((each) => each.toLowerCase());
          if (!described.includes(name)) note(`the header ${name}`);
        }
      }
    }
    expect(undescribed).toEqual([]);
  });
});

describe('the URLs of the document', () => {
  test.each(['/', '/openapi.json'])('%s returns a document with an ETag to GET and HEAD', async (path) => {
    const got = await ask(path);
    expect(got.status).toBe(200);
    expect(got.headers.get('access-control-allow-origin')).toBe('*');
    const text = await got.text();
    if (path !== '/') expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
    const head = await ask(path, { method: 'HEAD' });
    const length = String(Buffer.byteLength(text));
    expect(Object.fromEntries(head.headers)).toEqual({ ...Object.fromEntries(got.headers), 'content-length': length });
    const again = await ask(path, { headers: { 'if-none-match': got.headers.get('etag')! } });
    expect(again.status).toBe(304);
  });

  test('/ is OpenAPI, /openapi.json is JSON, gzipped if the client accepts it', async () => {
    expect((await ask('/')).headers.get('content-type')).toBe('application/openapi+json; charset=utf-8');
    const file = await ask('/openapi.json', { headers: { 'accept-encoding': 'gzip' } });
    expect(file.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(file.headers.get('content-encoding')).toBe('gzip');
    expect(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(await file.arrayBuffer())))).toHaveProperty(
      'openapi',
      '3.1.0',
    );
  });

  test('/ redirects a browser to the console, and /openapi.json does not', async () => {
    const response = await ask('/', { headers: { accept: BROWSER } });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/console']);
    expect((await ask('/openapi.json', { headers: { accept: BROWSER } })).status).toBe(200);
  });

  test('the service rejects other methods with 405, other media types with 406', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await ask('/', { method });
      expect(response.headers.get('allow')).toBe('OPTIONS, GET, HEAD');
      await expectRefusal(response, 405, 'PGRST117');
    }
    await expectRefusal(await ask('/', { headers: { accept: 'text/csv' } }), 406, 'PGRST107');
  });
});

describe('the commands', () => {
  test('catalogue openapi prints the document', async () => {
    const { exitCode, stdout, stderr } = await run({ args: ['openapi'], cwd: temporaryFolder() });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('catalogue types prints the types that test/types compiles with the client', async () => {
    const { exitCode, stdout } = await run({ args: ['types'], cwd: temporaryFolder() });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(typeScriptTypes(BUILT_IN.catalogue));
    expect(stdout).toBe(readFileSync(new URL('../../types/database.ts', import.meta.url), 'utf8'));
    const other = await run({ args: ['types', '--schema', 'tenant 1'], cwd: temporaryFolder() });
    expect(other.stdout.replaceAll(/'tenant 1'(?=])/g, "'public'").replace("'tenant 1'", 'public')).toBe(stdout);
  });

  const declared = new URL('../../data/shop/collections.yaml', import.meta.url).pathname;

  test('both accept a declaration: the types of the shop are those that test/types compiles', async () => {
    const args = ['types', '--collections', declared];
    const { exitCode, stdout } = await run({ args, cwd: temporaryFolder() });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(readFileSync(new URL('../../types/shop-database.ts', import.meta.url), 'utf8'));
  });

  test('both accept a declaration: the document of the shop uses its rows as examples', async () => {
    const { exitCode, stdout } = await run({ args: ['openapi', '--collections', declared], cwd: temporaryFolder() });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(shopDocument);
  });
});
