/** Reserved names: a collection cannot use a path or a table that the service needs. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { AUTH_PATH } from '../../src/auth/session-pages.ts';
import { OWN_COLLECTIONS } from '../../src/collection/own-collections.ts';
import { CONSOLE_PATH, DOCS_PATH } from '../../src/console/pages.ts';
import { RESERVED_COLLECTIONS, RESERVED_FIELDS, RESERVED_PREFIXES } from '../../src/declare/names.ts';
import { PARAMETERS } from '../../src/dialect/query.ts';
import { RETRY_TABLE, VERSION_TABLE } from '../../src/engine/postgres/schema/inspect.ts';
import { BATCH_PATH } from '../../src/http/own-paths.ts';
import { onlyService, openApiDocument } from '../../src/openapi/document.ts';
import { DESCRIBED } from '../support/openapi.ts';
import { mistakesIn, withFields } from '../support/processes/declarations.ts';

const documented = Object.keys(openApiDocument(onlyService(DESCRIBED)).paths as object);
// A collection may have the name of the batch path or of the log: /catalogue/batch then still works.
const isReserved = (path: string) => path !== BATCH_PATH && !/^(\/rest\/v1)?\/changes/.test(path);
const paths = [CONSOLE_PATH, DOCS_PATH, AUTH_PATH, ...documented.filter(isReserved)];
const names = paths.flatMap((path) => path.match(/\w+/)?.[0] ?? []);

/** Names with a different meaning in SQL on at least one engine. */
const OF_SQL = ['excluded', 'json_each', 'json_tree', 'old', 'pragma_table_list'];

for (const name of [...names, RETRY_TABLE, VERSION_TABLE, ...OWN_COLLECTIONS.keys(), ...OF_SQL]) {
  test(`${name} is not a name for a collection`, async () => {
    const [mistake, ...others] = await mistakesIn(`collections:\n  ${name}: { fields: { id: int4 } }\n`);
    expect(mistake).toMatch(/^2:3 .*; choose another name$/);
    expect(others).toEqual([]);
  });
}

for (const name of [...PARAMETERS, 'and', 'or', 'not', 'after']) {
  test(`${name} is not a name for a field`, async () => {
    expect(await mistakesIn(withFields('id: int4', `${name}: text`))).toEqual([
      `5:7 things: ${name} is a parameter of the query language; choose another name`,
    ]);
  });
}

for (const name of ['true', 'false']) {
  test(`${name} is not a name for a field`, async () => {
    expect(await mistakesIn(withFields('id: int4', `'${name}': text`))).toEqual([
      `5:7 things: ${name} is a value; choose another name`,
    ]);
  });
}

test('every reserved name is documented', () => {
  const page = readFileSync(new URL('../../docs/collections.md', import.meta.url), 'utf8');
  const reserved = [RESERVED_COLLECTIONS, RESERVED_PREFIXES, RESERVED_FIELDS].flatMap(Object.keys);
  expect(reserved.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
