/** `catalogue init` writes the built-in collection, and shows the other keys in comments. All of it is valid. */
import { afterAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN } from '../../src/collection/built-in.ts';
import type { Collection } from '../../src/collection/declaration.ts';
import { startingPoint } from '../../src/declare/writer/starting-point.ts';
import { declared } from '../support/processes/declarations.ts';
import { cleanUp, temporaryFolder } from '../support/processes/process.ts';

afterAll(cleanUp);
const { draft, collections } = BUILT_IN.catalogue;
const [collection] = [...collections.values()] as [Collection];

test('the file reads back as exactly the built-in collection', async () => {
  expect(await declared(startingPoint(collection, 'collections.yaml'))).toEqual(draft);
});

test('its comments name every key that the file does not use', async () => {
  const text = startingPoint(collection, 'collections.yaml');
  const shown = [...text.matchAll(/^ +# +([a-z_]+): /gm)].map(([, name]) => name);
  expect(shown.length).toBeGreaterThan(20);
  expect(collection.fields.filter((field) => field.name !== 'id' && shown.includes(field.name))).toEqual([]);
});

test('the examples in its comments are valid', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'makers.csv'), 'id,maker_name\n1,Kōkō\n');
  const text = startingPoint(collection, 'collections.yaml');
  const all = text.replace(/^( *)# ( *[a-z_]+:)/gm, '$1$2');
  const { collections, roles } = await declared(all, join(folder, 'collections.yaml'));
  expect(collections.map(({ name }) => name)).toEqual([collection.name, 'makers', 'sold_in']);
  expect(collections[0]!.fields.length).toBeGreaterThan(collection.fields.length + 10);
  expect(roles?.map(({ name }) => name)).toEqual(['anonymous', 'editor', 'admin']);
});
