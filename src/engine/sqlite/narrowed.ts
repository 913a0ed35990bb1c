/** Reads and writes that test only the candidates of the search index. */
import type { Collection } from '../../collection/declaration.ts';
import { FEW_CANDIDATES } from '../../limits.ts';
import { oncePer } from '../../once-per.ts';
import type { ReadPlan } from '../../plan/types.ts';
import type { Output } from '../compile/output.ts';
import { compileRead } from '../compile/read.ts';
import { buildStatement, identifier, type SqlDialect, type Statement } from '../compile/statement.ts';
import { candidateQuery } from './candidates.ts';
import { guardedDialect } from './dialect.ts';
import { candidateRows } from './search-index.ts';

/** For statements under a time limit that visit all rows of a collection, or its candidates where that can be said. */
export const narrowedDialect = oncePer(
  (collection: Collection): SqlDialect => ({
    ...guardedDialect,
    narrow(predicate, name, bind) {
      const query = candidateQuery(collection, predicate);
      if (query === undefined) return undefined;
      return `${identifier(name)}._rowid_ in (${candidateRows(collection, query, bind)})`;
    },
  }),
);

export interface NarrowedRead {
  readonly statement: Statement;
  /** Says 1 where it is the better way; absent where it always is. */
  readonly isBetter?: Statement;
}

/**
 * A read of the candidates; undefined where nothing can be said of them. They come in the order of their row ids: for any other order all
 * of them are tested and sorted. Where they are many, a walk in the right order that ends with the page is over sooner.
 */
export function compileNarrowed(plan: ReadPlan, output: Output): NarrowedRead | undefined {
  const { from, where, limit, groupBy } = plan;
  const query = candidateQuery(from, where);
  if (query === undefined) return undefined;
  const statement = compileRead(plan, output, narrowedDialect(from));
  if (limit === undefined || groupBy !== undefined) return { statement };
  const isBetter = buildStatement(guardedDialect, (bind) => {
    const some = `select 1 from (${candidateRows(from, query, bind)}) limit ${FEW_CANDIDATES + 1}`;
    return `select count(*) <= ${FEW_CANDIDATES} from (${some})`;
  });
  return { statement, isBetter };
}
