/** The query plans of a search in a new file, which has no statistics. */
import { expect, test } from 'bun:test';
import { ANONYMOUS } from '../../src/collection/access/caller.ts';
import { pageOf, parseQuery } from '../../src/dialect/query.ts';
import { wordIndexOf } from '../../src/engine/search/index-tables.ts';
import { compileSearchRead, type SearchRead } from '../../src/engine/search/search-reads.ts';
import { Connection } from '../../src/engine/sqlite/connection/connection.ts';
import { guardedDialect } from '../../src/engine/sqlite/dialect.ts';
import { openSqlite } from '../../src/engine/sqlite/engine.ts';
import { authorize } from '../../src/plan/access/permissions.ts';
import { planRead } from '../../src/plan/read/read.ts';
import { declaredBy } from '../support/engines/roles.ts';
import { newFile, TEST_OPTIONS } from '../support/engines/sqlite.ts';

test('a search reads its list of rows once, not once for each row that the role may see', async () => {
  const catalogue = declaredBy(`
collections:
  products:
    search: { fields: { name: 1 } }
    fields: { id: int4, name: text, status: { type: text, indexed: true } }
roles:
  anonymous: { products: { read: { where: 'status=eq.live' } } }
`);
  const path = newFile();
  const engine = openSqlite({ ...TEST_OPTIONS, path, catalogue, firstRows: () => [] });
  const { permissions } = authorize(catalogue)(ANONYMOUS);
  const parsed = parseQuery('search=wfts.tent');
  const products = permissions!.catalogue.collections.get('products')!;
  const plan = planRead(products, parsed, pageOf(parsed, null), undefined, permissions);
  const connection = new Connection(path, { readOnly: true });
  const ranking = { rows: '[[1,100,null,null]]' };
  for (const read of [
    { kind: 'visible', predicate: 0, documents: [1] },
    { kind: 'texts', documents: [1] },
    { kind: 'page', ranking },
  ] as SearchRead[]) {
    const statement = compileSearchRead(guardedDialect, wordIndexOf(plan.from)!, plan, read);
    const scans = connection.explain(statement).filter(({ detail }) => /^(SCAN|SEARCH)/.test(detail));
    expect({ read, first: scans[0]!.detail }).toEqual({ read, first: expect.stringMatching(/^SCAN (json_each|l)/) });
  }
  connection.close();
  await engine.close();
});
