/** The examples of the document match their schemas, and the service accepts each of them unchanged. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Catalogue, openCatalogue } from '../../support/engines/catalogue.ts';
import { openShop } from '../../support/engines/shop.ts';
import {
  bodyOf,
  document,
  lastName,
  type Media,
  objections,
  operations,
  type Parameter,
  pointer,
  shopDocument,
} from '../../support/openapi.ts';
import { sendJson } from '../../support/stories.ts';

/** Every example with the JSON pointer to its schema. */
function* examplesIn(node: unknown, path: string): Generator<[path: string, value: unknown]> {
  if (typeof node !== 'object' || node === null) return;
  const { schema, example, examples = {} } = node as Media;
  if (schema !== undefined) {
    if (example !== undefined) yield [path, example];
    for (const { value } of Object.values(examples)) yield [path, value];
  }
  for (const [name, child] of Object.entries(node)) yield* examplesIn(child, path + pointer(name));
}

test.each([
  ['the products', document],
  ['the shop', shopDocument],
])('examples of %s match their schemas', (_, described) => {
  const all = [...examplesIn(described, '')];
  const wrong = all.map(([path, value]) => [path, objections(`${path}/schema`, value, described)]);
  expect(wrong.filter(([, no]) => no)).toEqual([]);
  expect(all.length).toBeGreaterThan(150);
});

interface Sent {
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly value: unknown };
}

const READS = ['get', 'head', 'options'];
const SERVICE_TAGS = ['Describe', 'Observe'];
const MERGES = 'resolution=merge-duplicates';

const isFilter = ({ in: place, explode }: Parameter) => place === 'query' && explode === true;
const valuesOf = ({ example, examples = {} }: Pick<Parameter, 'example' | 'examples'>): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

/** One example of a parameter, as a client sends it. */
function sent({ name, in: place }: Parameter, value: unknown): Sent {
  if (place === 'header') return { headers: { [name]: String(value) } };
  return { query: [[name, String(value)]] };
}

interface Body {
  readonly type: string;
  readonly value: unknown;
  readonly name: string;
  readonly summary: string;
}

function bodiesOf(content: Readonly<Record<string, Media>>): Body[] {
  return Object.entries(content).flatMap(([type, { example, examples = {} }]) => [
    ...(example === undefined ? [] : [{ type, value: example, name: 'example', summary: '' }]),
    ...Object.entries(examples).map(([name, { value, summary = '' }]) => ({ type, value, name, summary })),
  ]);
}

const PRODUCTS = { catalogue: 'the products', described: document, open: openCatalogue };
const SHOP = { catalogue: 'the shop', described: shopDocument, open: openShop };
/** Every engine accepts the same values (test/property/), so each document needs only one. */
const CASES = [
  { ...PRODUCTS, engine: 'PostgreSQL' },
  { ...SHOP, engine: 'SQLite' },
];

/** A row that others refer to cannot be deleted. The document does not know which rows those are. */
const isReferredTo = (method: string, code: string) => method === 'delete' && code === '23503';

describe.each(CASES)('the service accepts every example of $catalogue on $engine', ({ described, open, engine }) => {
  const { parameters: components } = described.components;
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await open(engine);
    // The examples of the log read its first entry.
    const [row] = await catalogue.list('/products?limit=1');
    for (const body of [{ product_name: 'changed' }, { product_name: row!.product_name }]) {
      expect((await catalogue.fetch(`/products/${row!.id}`, sendJson('PATCH', body))).status).toBe(204);
    }
  });
  afterAll(() => catalogue.close());

  /** The error, if the service rejects the request. Writes are dry runs, so that none affects the next. */
  async function refusalOf(method: string, path: string, { query = [], headers = {}, body }: Sent): Promise<unknown> {
    const text = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    const prefer = [headers.Prefer, ...(READS.includes(method) ? [] : ['tx=rollback'])].filter(Boolean).join(', ');
    const response = await catalogue.fetch(`${path}${text === '' ? '' : `?${text}`}`, {
      method: method.toUpperCase(),
      headers: { ...headers, prefer, ...(body === undefined ? {} : { 'content-type': body.type }) },
      body: body === undefined ? null : typeof body.value === 'string' ? body.value : JSON.stringify(body.value),
    });
    if (response.status < 400 && response.status !== 300) return void (await response.arrayBuffer());
    const refusal = (await response.json()) as { code: string };
    return isReferredTo(method, refusal.code) ? undefined : refusal;
  }

  const ofRows = operations(described).filter(({ operation }) => !SERVICE_TAGS.includes(operation.tags[0]!));
  test.each(ofRows.map((each) => [each.operation.operationId, each] as const))('%s', async (_, each) => {
    const { path, method, operation } = each;
    const [name] = operation.tags;
    const key = components[`${name}.key.path`];
    const url = key === undefined ? path : path.replace(`{${key.name}}`, encodeURIComponent(String(key.example)));
    const parameters = operation.parameters.map(({ $ref }) => components[lastName($ref)]!);
    const always = parameters.filter(({ required }) => required).map((each) => sent(each, each.example));
    // A write to a whole collection needs a filter, as its description says.
    const wantsFilter = ['patch', 'delete'].includes(method) && parameters.some(isFilter);
    const keys = Object.keys(components).filter((each) => each.startsWith(`${name}.key.`) && each.endsWith('.eq'));
    const filtering = operation.operationId === 'undo' ? ['undo.seq'] : wantsFilter ? keys : [];
    const filter = filtering.map((each) => sent(components[each]!, components[each]!.example));
    const bodies = bodiesOf(bodyOf(operation, described));
    const [body] = bodies;
    // A row whose key cannot be generated is merged, as its summary says.
    const merges = bodies.some(({ summary }) => summary.includes(MERGES));
    const merged = (...parts: Sent[]): Sent => {
      const headers = Object.assign({}, ...parts.map(({ headers = {} }) => headers)) as Record<string, string>;
      const prefer = [headers.Prefer, ...(merges ? [MERGES] : [])].filter((each) => each !== undefined).join(', ');
      return {
        query: parts.flatMap(({ query = [] }) => query),
        headers: { ...headers, ...(prefer === '' ? {} : { Prefer: prefer }) },
        ...(body === undefined ? {} : { body }),
      };
    };

    const refused: unknown[] = [];
    const send = async (what: Sent) => {
      const refusal = await refusalOf(method, url, what);
      if (refusal !== undefined) refused.push({ refusal, ...what });
    };
    await send(merged(...always, ...filter));
    // HEAD reads the parameters of GET in the same way.
    for (const parameter of parameters.filter(({ required }) => !required && method !== 'head')) {
      // A list of changes contains the keys of its rows, and takes no filter.
      const listed = parameter.name === 'on_conflict' && bodies.find(({ name }) => wantsFilter && name === 'several');
      for (const value of valuesOf(parameter)) {
        if (listed) await send({ ...merged(...always, sent(parameter, value)), body: listed });
        else await send(merged(...always, ...filter, sent(parameter, value)));
      }
    }
    for (const other of bodies) {
      // A list of changes contains the keys of its rows.
      const needed = other.name === 'several' && method === 'patch' ? always : [...always, ...filter];
      await send({ ...merged(...needed), body: other });
    }
    expect(refused).toEqual([]);
  });

  const withItems = Object.keys(components).filter((name) => name.endsWith('.key.path') && name !== 'changes.key.path');
  test.each(withItems)(
    'the ETag in the example of %s is the version of the row, so that 304 and If-Match work',
    async (path) => {
      const name = path.split('.')[0]!;
      const tag = components[`${name}.If-Match`]!.example as string;
      const url = `/${name}/${components[path]!.example}`;
      expect((await catalogue.fetch(url, { headers: { 'if-none-match': tag } })).status).toBe(304);
    },
  );
});
