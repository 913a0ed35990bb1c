/** `application/geo+json`: rows as features. The type stands for that of PostGIS, which prints as a GeoJSON object. */
import { expect, test } from 'bun:test';
import { adoptedSchema } from '../../support/engines/adopted.ts';
import { expectRefusal, sendJson } from '../../support/stories.ts';

const GEO = { accept: 'application/geo+json' };
const { fetch } = adoptedSchema(`
  create type geometry as (type text, crs text, coordinates float8[]);
  create table places (id bigint primary key, name text, spot geometry);
  insert into places values (9007199254740993, 'Pier', ('Point', 'EPSG:4326', '{1.5,2}')), (2, 'Nowhere', null)`);

test('rows are features, with the geometry apart and exact numbers', async () => {
  const response = await fetch('/places?order=id.desc', { headers: GEO });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/geo+json; charset=utf-8']);
  const text = await response.text();
  expect(text).toContain('"properties":{"id":9007199254740993,"name":"Pier"}');
  expect(JSON.parse(text)).toMatchObject({
    type: 'FeatureCollection',
    features: [
      { type: 'Feature', geometry: { type: 'Point', coordinates: [1.5, 2] } },
      { type: 'Feature', geometry: null, properties: { id: 2, name: 'Nowhere' } },
    ],
  });
  expect(text).not.toContain('crs');
  const none = await fetch('/places?id=eq.0', { headers: GEO });
  expect(await none.json()).toEqual({ type: 'FeatureCollection', features: [] });
});

test('a write returns features, and rows without a geometry get 406', async () => {
  const init = sendJson('PATCH', { name: 'Here' }, { ...GEO, prefer: 'return=representation' });
  const changed = await (await fetch('/places?id=eq.2', init)).json();
  expect(changed).toMatchObject({ features: [{ properties: { id: 2, name: 'Here' } }] });
  expect((await fetch('/places?id=eq.2', sendJson('PATCH', { name: 'There' }, GEO))).status).toBe(204);
  await expectRefusal(await fetch('/places?select=id', { headers: GEO }), 406, 'PGRST107');
});
