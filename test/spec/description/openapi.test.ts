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
import { OPERATORS, type OperatorName, servesType } from '../../../src/dialect/operators.ts';
import { CHOICES } from '../../../src/dialect/prefer.ts';
import { EMPTY_QUERY, PARAMETERS } from '../../../src/dialect/query.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { BODY_TYPES } from '../../../src/http/body/parse-body.ts';
import { BATCH_PATH, UNDO_PATH } from '../../../src/http/own-paths.ts';
import { firstPage } from '../../../src/http/pages.ts';
import { Health, healthPages } from '../../../src/observe/health.ts';
import { openApiDocument } from '../../../src/openapi/document.ts';
import { openApiPages } from '../../../src/openapi/pages.ts';
import { DESCRIPTION_PATHS } from '../../../src/openapi/paths/description-path.ts';
import { HEALTH_PATHS } from '../../../src/openapi/paths/health-path.ts';
import { undoFilters } from '../../../src/openapi/paths/undo-path.ts';
import { typeScriptTypes } from '../../../src/openapi/types.ts';
import { planReadItem } from '../../../src/plan/read/read.ts';
import { ENGINES } from '../../support/engines/catalogue.ts';
import { SHOP } from '../../support/engines/shop.ts';
import {
  bodyOf,
  complaintsAbout,
  DESCRIBED,
  describedPath,
  document,
  lastName,
  METHODS,
  type OpenApi,
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
  const health = new Health(() => engine, planReadItem(products, '0', EMPTY_QUERY));
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
    expect(all.filter(({ summary, description }) => summary.length < 5 || description.length < 20)).toEqual([]);
    const tags = described.tags.map(({ name }) => name);
    expect([...new Set(all.flatMap((operation) => operation.tags))].sort()).toEqual(tags.sort());
    expect(described.tags.filter(({ description }) => description.length < 10)).toEqual([]);
  });

  test('names its licence, and asks for no credentials', () => {
    expect(described.info.license).toEqual({ name: 'MIT', identifier: 'MIT' });
    expect(described.security).toEqual([]);
  });

  test('has no `default`, which clients would send and generators would make required', () => {
    expect(JSON.stringify(described)).not.toContain('"default":');
  });

  test('has request bodies for POST, PATCH and PUT, and no response bodies for HEAD', () => {
    const withBody = operations(described).filter(({ operation }) => operation.requestBody !== undefined);
    expect([...new Set(withBody.map(({ method }) => method))].sort()).toEqual(['patch', 'post', 'put']);
    const headers = operations(described).filter(({ method }) => method === 'head');
    for (const { operation } of headers) {
      const answers = Object.values(operation.responses);
      expect(answers.filter(({ $ref, content }) => $ref !== undefined || content !== undefined)).toEqual([]);
    }
  });

  test('has filters that are plain strings, and says that they may be repeated', () => {
    const filters = Object.entries(described.components.parameters).filter(([name]) => /^\w+\.filter\./.test(name));
    const logic = Object.entries(described.components.parameters).filter(([, { name }]) =>
      [...LOGIC_KEYS, AFTER].includes(name),
    );
    expect(logic.length).toBeGreaterThan(LOGIC_KEYS.length);
    expect(filters.length).toBeGreaterThan(3);
    for (const [, parameter] of [...filters, ...logic]) {
      expect(parameter).toMatchObject({ in: 'query', style: 'form', explode: true, schema: { type: 'string' } });
    }
    for (const [, { description, examples }] of filters) {
      expect(description).toContain('May be repeated');
      expect(Object.values(examples!).filter(({ value }) => typeof value !== 'string')).toEqual([]);
    }
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
      ['categories', 'suppliers', 'products', 'labels', 'stock_moves'].flatMap((name) => [
        `/${name}/{id}`,
        `/rest/v1/${name}/{id}`,
      ]),
    );
  });

  test('has the rules of the fields in their schemas, and defaults as text', () => {
    expect(property('products.Row', 'unit_price')).toMatchObject({ minimum: 0, maximum: 99999999.9999 });
    expect(property('products.Row', 'sku')).toMatchObject({ pattern: '^[A-Z]-[0-9]{4}$', description: 'Unique.' });
    expect(property('labels.NewRow', 'label')).toMatchObject({ type: 'string', maxLength: 20 });
    expect(property('products.NewRow', 'status')).toMatchObject({
      enum: ['draft', 'live', 'retired'],
      description: 'The default is draft.',
    });
    expect(property('products.NewRow', 'created_at')).toMatchObject({
      description: 'The default is the time of the request.',
    });
    expect(property('products.NewRow', 'category_id')).toMatchObject({ description: 'Refers to a row of categories.' });
  });

  test('lists the embeddings, each by an unambiguous name', () => {
    const words = components.parameters['products.select']!.description;
    const names = [...words.matchAll(/^- `([^(]+)\(…\)`/gm)].map(([, name]) => name!);
    expect(names.sort()).toEqual([
      'categories',
      'labels',
      'prices',
      'product_labels',
      'stock_moves',
      'suppliers!second_supplier_id',
      'suppliers!supplier_id',
    ]);
    expect(components.parameters['categories.select']!.description).toContain('`parent_id(…)`: one of categories');
    expect(paths['/products']!.get!.responses['300']!.$ref).toBe('#/components/responses/Error300');
  });

  test('names every unique constraint for on_conflict, and every key field for PUT', () => {
    const choices = (name: string) => components.parameters[`${name}.on_conflict`]!.schema;
    expect(choices('products')).toMatchObject({ enum: ['id', 'sku', 'uid'] });
    expect(choices('prices')).toMatchObject({ enum: ['product_id,currency'] });
    const named = paths['/prices']!.put!.parameters.map(({ $ref }) => components.parameters[lastName($ref)]!);
    expect(named.filter(({ required }) => required).map(({ name }) => name)).toEqual(['product_id', 'currency']);
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

  test('operations read and write whole rows as JSON; `select` and other media types have separate operations', () => {
    const contents = operations(strict)
      .filter(({ operation }) => operation.tags.includes('options'))
      .flatMap(({ path, operation }) =>
        [bodyOf(operation, strict), ...Object.values(operation.responses).map(({ content = {} }) => content)]
          .filter((content) => Object.keys(content).length > 0)
          .map((content) => ({ isFree: path.startsWith('/rest/v1/'), types: Object.keys(content), content })),
      );
    const whole = contents.filter(({ isFree }) => !isFree);
    expect(whole.length).toBeGreaterThan(10);
    for (const { types, content } of whole) {
      expect(types).toEqual(['application/json']);
      expect(JSON.stringify(content)).not.toContain('SelectedRow');
    }
    expect(contents.filter(({ isFree, types }) => isFree && !types.includes('text/csv'))).toEqual([]);
    const parameters = (path: string) => strict.paths[path]!.get!.parameters.map(({ $ref }) => lastName($ref));
    expect(parameters('/options')).not.toContain('options.select');
    expect(parameters('/rest/v1/options')).toContain('options.select');
  });

  test('a readOnly field is never sent, and a key that is also a reference is required', () => {
    expect(schemas['options.Row']!.properties.total).toMatchObject({ readOnly: true });
    expect(Object.keys(schemas['options.NewRow']!.properties)).toEqual(['id', 'level', 'state', 'since']);
    expect(Object.keys(schemas['options.Changes']!.properties)).toEqual(['id', 'level', 'state', 'since']);
    expect(schemas['options.NewRow']).toMatchObject({ required: ['id', 'level'] });
    expect(schemas['channels.NewRow']).toMatchObject({ required: [] });
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
    const described = Object.keys(document.paths).filter(
      (path) => !/^(\/rest\/v1)?\/(products|changes$|changes\/\{)/.test(path),
    );
    expect(described).toEqual([BATCH_PATH, UNDO_PATH, ...DESCRIPTION_PATHS, ...HEALTH_PATHS]);
    for (const path of [CONSOLE_PATH, DOCS_PATH]) {
      expect((await ask(path)).headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    await expectRefusal(await ask('/nothing'), 404, 'PGRST205');
  });

  test('on routes and methods', async () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      const response = await ask(path.replace(/\{\w+\}/, '1'), { method: 'OPTIONS' });
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      const allowed = response.headers.get('allow')!.toLowerCase().split(', ').sort();
      const described = Object.keys(operations).filter((name) => METHODS.includes(name));
      expect({ path, methods: described.sort() }).toEqual({ path, methods: allowed });
    }
  });

  test('on fields and the operators of each', async () => {
    const names = products.fields.map((field) => field.name);
    for (const schema of ['products.Row', 'products.NewRow', 'products.Changes']) {
      expect(Object.keys(document.components.schemas[schema]!.properties)).toEqual(names);
    }
    for (const field of products.fields) {
      const { examples } = document.components.parameters[`products.filter.${field.name}`]!;
      for (const operator of Object.keys(OPERATORS) as OperatorName[]) {
        const isServed = servesType(OPERATORS[operator], field.type);
        expect({ operator, described: Object.hasOwn(examples!, operator) }).toEqual({ operator, described: isServed });
      }
    }
  });

  test('on the other parameters', () => {
    const inQuery = Object.entries(document.components.parameters)
      .filter(([name, parameter]) => parameter.in === 'query' && !Object.hasOwn(undoFilters(), name))
      .map(([, parameter]) => parameter);
    const { collections, builtIn } = BUILT_IN.catalogue;
    const all = [...collections.values(), ...builtIn.values()].flatMap(({ fields }) => fields);
    const fields = all.map((field) => field.name);
    expect([...new Set(inQuery.map(({ name }) => name))].sort()).toEqual(
      [...new Set([...fields, ...PARAMETERS, ...LOGIC_KEYS, AFTER])].sort(),
    );
  });

  test('on the preferences', () => {
    const { description } = document.components.parameters.Prefer!;
    for (const [name, values] of Object.entries(CHOICES)) expect(description).toContain(`${name}=${values.join('|')}`);
  });

  test('on the media types of bodies', () => {
    expect(Object.keys(bodyOf(document.paths['/rest/v1/products']!.post!))).toEqual([...BODY_TYPES]);
    expect(Object.keys(bodyOf(document.paths['/products']!.post!))).toEqual(['application/json']);
  });

  test('on the error codes, each with its status', () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      // Only catalogues with roles return 401, and only those with functions have errors of calls.
      if (status === 401) continue;
      expect(other.components.responses[`Error${status}`]!.description).toContain(`\`${code}\``);
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
      const route = describedPath(plain.replace(/\d+$/, '{id}'), query, accept);
      const note = (what: unknown) => undescribed.push(`${method} ${path} ${JSON.stringify([init ?? {}, what])}`);
      const given = { status, contentType: headers.get('content-type'), body: await response.text() };
      for (const complaint of complaintsAbout(route, method, given)) note(complaint);
      const described = document.paths[route]![method.toLowerCase()]!.responses[status];
      const resolved =
        described?.$ref === undefined ? described : document.components.responses[lastName(described.$ref)];
      for (const name of Object.keys(document.components.headers)) {
        if (headers.has(name) && !Object.hasOwn(resolved?.headers ?? {}, name)) note(`${status} with ${name}`);
      }
    }
    expect(undescribed).toEqual([]);
  });
});

describe('the URLs of the document', () => {
  test.each(['/', '/openapi.json'])('%s returns the document with an ETag to GET and HEAD', async (path) => {
    const got = await ask(path);
    expect(got.status).toBe(200);
    expect(got.headers.get('access-control-allow-origin')).toBe('*');
    const text = await got.text();
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)));
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
