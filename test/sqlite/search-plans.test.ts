/** Query plans in a new file, which has no statistics. */
import { expect, test } from 'bun:test';
import { ANONYMOUS } from '../../src/collection/access/caller.ts';
import { pageOf, parseQuery } from '../../src/dialect/query.ts';
import { wordIndexOf } from '../../src/engine/search/index-tables.ts';
import { compileSearchRead, type SearchRead } from '../../src/engine/search/search-reads.ts';
import { compileRead } from '../../src/engine/sql/read.ts';
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

test('the index of a rule or a key finds the rows that a costly filter tests', async () => {
  const catalogue = declaredBy(`
collections:
  makers: { fields: { id: int4, hidden: boolean } }
  products:
    fields: { id: int4, name: text, status: { type: text, indexed: true }, maker_id: { type: int4, references: makers } }
roles:
  anonymous: { products: { read: { where: 'status=eq.live' } } }
  related: { products: { read: { where: 'makers.hidden=is.false' } } }
`);
  const path = newFile();
  const engine = openSqlite({ ...TEST_OPTIONS, path, catalogue, firstRows: () => [] });
  const connection = new Connection(path, { readOnly: true });
  const stepsOf = (role: string, query: string) => {
    const { permissions } = authorize(catalogue)({ ...ANONYMOUS, role });
    const parsed = parseQuery(query);
    const products = permissions!.catalogue.collections.get('products')!;
    const plan = planRead(products, parsed, pageOf(parsed, null), undefined, permissions);
    const statement = compileRead(plan, { form: 'json', stripNulls: false }, guardedDialect);
    return connection.explain(statement).map(({ detail }) => detail);
  };
  const match = 'name=match.(b{200}){4}c';
  expect(stepsOf('anonymous', match)[0]).toMatch(/^SEARCH products USING INDEX \S+ \(status=\?\)/);
  expect(stepsOf('related', `${match}&id=gt.5`)[0]).toBe('SEARCH products USING INTEGER PRIMARY KEY (rowid>?)');
  expect(stepsOf('related', `${match}&status=eq.live`)[0]).toMatch(/^SEARCH products USING INDEX \S+ \(status=\?\)/);
  connection.close();
  await engine.close();
});
