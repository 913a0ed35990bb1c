/**
 * Upserts in declared collections: the response identifies the existing row, whichever unique constraint it matched.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { type Catalogue, TWO_ENGINES } from '../../support/engines/catalogue.ts';
import { openDeclared } from '../../support/engines/shop.ts';

const MERGE = 'resolution=merge-duplicates,return=representation';

const CATALOGUE = declareCatalogue({
  collections: [
    {
      name: 'people',
      key: ['code'],
      fields: [
        { name: 'code', type: 'text' },
        { name: 'big', type: 'int8', unique: true },
        { name: 'note', type: 'text' },
      ],
    },
    {
      name: 'tagged',
      key: ['a', 'tag'],
      fields: [
        { name: 'a', type: 'int4' },
        { name: 'tag', type: 'text' },
      ],
    },
    {
      name: 'numbered',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int8' },
        { name: 'sku', type: 'text', unique: true },
        { name: 'note', type: 'text' },
      ],
    },
  ],
});

describe.each(TWO_ENGINES)('an upsert on %s', (engine) => {
  let catalogue: Catalogue;
  beforeAll(async () => {
    catalogue = await openDeclared(engine, CATALOGUE);
  });
  afterAll(() => catalogue.close());

  async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
    const response = await catalogue.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: MERGE, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, location: response.headers.get('location'), body: await response.text() };
  }

  test('on another unique field returns the existing row, with all digits of its key', async () => {
    await post('/people', '{"code":"bob","big":9007199254740993}');
    const met = await post('/people?on_conflict=big', '{"code":"zzz","big":9007199254740993,"note":"met"}');
    expect(met).toEqual({
      status: 200,
      location: '/people?code=eq.bob',
      body: '[{"code":"bob","big":9007199254740993,"note":"met"}]',
    });
    await post('/numbered', '{"id":9007199254740993,"sku":"x"}');
    const quiet = await post('/numbered?on_conflict=sku', '{"sku":"x","note":"met"}', {
      prefer: 'resolution=merge-duplicates',
    });
    expect(quiet).toMatchObject({ status: 200, location: '/numbered?id=eq.9007199254740993' });
  });

  test('without fields to change returns the row', async () => {
    await post('/tagged', [{ a: 1, tag: 'x' }]);
    const both = await post('/tagged?order=tag', [
      { a: 1, tag: 'x' },
      { a: 1, tag: 'z' },
    ]);
    expect(both).toMatchObject({ status: 201, body: '[{"a":1,"tag":"x"},{"a":1,"tag":"z"}]' });
    const one = await post('/tagged', { a: 1, tag: 'x' }, { accept: 'application/vnd.pgrst.object+json' });
    expect(one).toMatchObject({ status: 200, location: '/tagged?a=eq.1&tag=eq.x', body: '{"a":1,"tag":"x"}' });
    const put = await catalogue.fetch('/tagged?a=eq.1&tag=eq.x', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', prefer: 'return=representation' },
      body: '{"a":1,"tag":"x"}',
    });
    expect({ status: put.status, body: await put.json() }).toEqual({ status: 200, body: [{ a: 1, tag: 'x' }] });
    const ignored = await post(
      '/tagged',
      { a: 1, tag: 'x' },
      { prefer: 'resolution=ignore-duplicates,return=representation' },
    );
    expect(ignored.body).toBe('[]');
  });

  test('exhausted keys are reported as such, not as a full disk', async () => {
    const last = await post('/numbered', '{"id":9223372036854775807,"sku":"last"}');
    expect(last.status).toBe(201);
    const none = await post('/numbered', '{"sku":"one more"}');
    expect({ status: none.status, code: JSON.parse(none.body).code }).toEqual({ status: 400, code: '2200H' });
    expect((await post('/people', '{"code":"after"}')).status).toBe(201);
  });
});
