/** Reserved names: a collection cannot use a path or a table that the service needs. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { AUTH_PATH } from '../../src/auth/session-pages.ts';
import { OWN_COLLECTIONS } from '../../src/collection/own-collections.ts';
import { CONSOLE_PATH } from '../../src/console/pages.ts';
import { RESERVED_COLLECTIONS, RESERVED_FIELDS, RESERVED_PREFIXES } from '../../src/declare/names.ts';
import { PARAMETERS } from '../../src/dialect/query.ts';
import { RETRY_TABLE, VERSION_TABLE } from '../../src/engine/postgres/schema/inspect.ts';
import { wordTables } from '../../src/engine/search/index-tables.ts';
import { OWN_PATH } from '../../src/http/target.ts';
import { mistakesIn, withFields } from '../support/processes/declarations.ts';

// A collection may have the name of any other path: /catalogue/batch and /catalogue/docs then still work.
const paths = [CONSOLE_PATH, AUTH_PATH, OWN_PATH];
const names = paths.flatMap((path) => path.match(/\w+/)?.[0] ?? []);

/** A name with another meaning in SQL. */
const OF_SQL = ['excluded'];
const OF_SEARCH = Object.values(wordTables('products'));

for (const name of [...names, RETRY_TABLE, VERSION_TABLE, ...OWN_COLLECTIONS.keys(), ...OF_SQL, ...OF_SEARCH]) {
  test(`${name} is not a name for a collection`, async () => {
    const [mistake, ...others] = await mistakesIn(`collections:\n  ${name}: { fields: { id: int4 } }\n`);
    expect(mistake).toMatch(/^2:3 .*; choose another name$/);
    expect(others).toEqual([]);
  });
}

test('parameters of the query language and values are names of fields', async () => {
  const names = [...PARAMETERS, 'and', 'or', 'not', 'after', "'true'"].map((name) => `${name}: text`);
  expect(await mistakesIn(withFields('id: int4', ...names))).toEqual([]);
});

test('every reserved name is documented', () => {
  const page = readFileSync(new URL('../../docs/reference/collections.md', import.meta.url), 'utf8');
  const reserved = [RESERVED_COLLECTIONS, RESERVED_PREFIXES, RESERVED_FIELDS].flatMap(Object.keys);
  expect(reserved.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
