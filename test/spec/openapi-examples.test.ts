/** The examples of the document: each is what its schema says, and works when it is sent as it is. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Catalogue, ENGINES, openCatalogue } from '../support/catalogue.ts';
import { document, lastName, type Media, objections, operations, type Parameter, pointer } from '../support/openapi.ts';
import { expectUntouched } from '../support/stories.ts';

/** Every value that stands beside a schema, with where that is. */
function* examplesIn(node: unknown, path: string): Generator<[path: string, value: unknown]> {
  if (typeof node !== 'object' || node === null) return;
  const { schema, example, examples = {} } = node as Media;
  if (schema !== undefined) {
    if (example !== undefined) yield [path, example];
    for (const { value } of Object.values(examples)) yield [path, value];
  }
  for (const [name, child] of Object.entries(node)) yield* examplesIn(child, path + pointer(name));
}

test('examples are what their schemas say', () => {
  const all = [...examplesIn(document, '')];
  expect(all.map(([path, value]) => [path, objections(`${path}/schema`, value)]).filter(([, no]) => no)).toEqual([]);
  expect(all.length).toBeGreaterThan(150);
});

interface Sent {
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly value: unknown };
}

const parameterNamed = (name: string): Parameter => document.components.parameters[name]!;
const isFilter = ({ in: place, explode }: Parameter) => place === 'query' && explode === true;
const valuesOf = ({ example, examples = {} }: Pick<Parameter, 'example' | 'examples'>): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

/** One example of a parameter, as a client that knows `style` and `explode` sends it. */
function sent({ name, in: place }: Parameter, value: unknown): Sent {
  if (place === 'header') return { headers: { [name]: String(value) } };
  return { query: (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)] as const) };
}

function bodiesOf(content: Readonly<Record<string, Media>>): { type: string; value: unknown; name: string }[] {
  return Object.entries(content).flatMap(([type, { example, examples = {} }]) => [
    ...(example === undefined ? [] : [{ type, value: example, name: 'example' }]),
    ...Object.entries(examples).map(([name, { value }]) => ({ type, value, name })),
  ]);
}

describe.each(Object.keys(ENGINES))('every example can be sent as it is on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openCatalogue(engine);
  });
  afterAll(() => catalogue.close());

  /** The status, with the catalogue as it was before. */
  async function statusOf(method: string, path: string, { query = [], headers = {}, body }: Sent): Promise<number> {
    const text = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    const { status } = await catalogue.fetch(`${path}${text === '' ? '' : `?${text}`}`, {
      method: method.toUpperCase(),
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': body.type }) },
      body: body === undefined ? null : typeof body.value === 'string' ? body.value : JSON.stringify(body.value),
    });
    if (!['get', 'head', 'options'].includes(method)) {
      await catalogue.close();
      catalogue = await openCatalogue(engine);
    }
    return status;
  }

  const described = operations().filter(({ path }) => path.startsWith('/products'));
  test.each(described.map((each) => [each.operation.operationId, each] as const))('%s', async (_, each) => {
    const { path, method, operation } = each;
    const key = parameterNamed('key.path');
    const url = path.replace(`{${key.name}}`, String(key.example));
    const parameters = operation.parameters.map(({ $ref }) => parameterNamed(lastName($ref)));
    const always = parameters.filter(({ required }) => required).map((each) => sent(each, each.example));
    // A write to a whole collection wants a filter, as its description says.
    const wantsFilter = ['patch', 'delete'].includes(method) && parameters.some(isFilter);
    const filter = wantsFilter ? [sent(parameterNamed(`filter.${key.name}`), [`eq.${key.example}`])] : [];
    const bodies = operation.requestBody === undefined ? [] : bodiesOf(operation.requestBody.content);
    const [body] = bodies;
    const merged = (...parts: Sent[]): Sent => ({
      query: parts.flatMap(({ query = [] }) => query),
      headers: Object.assign({}, ...parts.map(({ headers = {} }) => headers)),
      ...(body === undefined ? {} : { body }),
    });

    const refused: unknown[] = [];
    const send = async (what: Sent) => {
      const status = await statusOf(method, url, what);
      if (status >= 400) refused.push({ status, ...what });
    };
    await send(merged(...always, ...filter));
    for (const parameter of parameters.filter(({ required }) => !required)) {
      for (const value of valuesOf(parameter)) {
        await send(merged(...always, ...(isFilter(parameter) ? [] : filter), sent(parameter, value)));
      }
    }
    for (const other of bodies) {
      // A list of changes names its own rows.
      const needed = other.name === 'several' && method === 'patch' ? always : [...always, ...filter];
      await send({ ...merged(...needed), body: other });
    }
    expect(refused).toEqual([]);
  });

  test('the version is that of the first product, so that 304 and If-Match work', async () => {
    const tag = parameterNamed('If-Match').example as string;
    expect((await catalogue.fetch('/products/1', { headers: { 'if-none-match': tag } })).status).toBe(304);
    await expectUntouched(catalogue);
  });
});
