/** Feeds of one list in two languages: each client gets the rows and texts of its own language. */
import { expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { parseDeclaration } from '../../../src/declare/read.ts';
import { serveFeeds } from '../../support/engines/feed-service.ts';
import { openDeclaredEngine } from '../../support/engines/shop.ts';
import { sendJson } from '../../support/stories.ts';

const SHOP = declareCatalogue(
  parseDeclaration(
    'collections:\n  products: { fields: { id: int4, name: { type: text, translations: [de] } } }\n',
    'shop.yaml',
  ),
);

test.each(['SQLite', 'PostgreSQL'])('a feed has the language of its request on %s', async (engine) => {
  const rows = { products: [{ id: 1, name: 'Boot', name_de: 'Stiefel' }] };
  const shop = serveFeeds(await openDeclaredEngine(engine, SHOP, rows), SHOP);
  const path = '/products?select=id,name&name=like.S*';
  const german = await shop.follow(path, { 'accept-language': 'de' });
  const english = await shop.follow(path, { 'accept-language': 'en' });
  expect(german.take()[0]).toEqual(['row', { id: 1, name: 'Stiefel' }]);
  expect(english.take()).toEqual([['ready', {}]]);
  await shop.fetch('/products?id=eq.1', sendJson('PATCH', { name: 'Shoe' }));
  expect(await english.next()).toEqual([['insert', { id: 1, name: 'Shoe' }]]);
  await shop.fetch('/products?id=eq.1', sendJson('PATCH', { name_de: 'Schuh' }));
  expect(await german.next()).toEqual([['update', { id: 1, name: 'Schuh' }]]);
  await shop.close();
});
