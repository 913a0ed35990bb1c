/** Reads and writes that test only the candidates of the search index. */
import { FEW_CANDIDATES } from '../../../base/limits/engine.ts';
import type { Collection } from '../../../collection/declaration.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { Output } from '../../sql/output.ts';
import { compileRead } from '../../sql/read.ts';
import { buildStatement, identifier, type SqlDialect } from '../../sql/statement.ts';
import { guardedDialect } from '../dialect.ts';
import type { ReadAttempt } from '../read-threads/reader.ts';
import { candidateQuery } from './index-candidates.ts';
import { candidateRows } from './search-index.ts';

/** For statements with a time limit: uses candidates if they can be derived, otherwise all rows. */
export function prefilterDialect(collection: Collection): SqlDialect {
  return {
    ...guardedDialect,
    prefilter(predicate, name, bind) {
      const query = candidateQuery(collection, predicate);
      if (query === undefined) return undefined;
      return `${identifier(name)}._rowid_ in (${candidateRows(collection, query, bind)})`;
    },
  };
}

/**
 * Reads the candidates; undefined if none can be derived. They come in row id order; any other order sorts them all.
 * With many candidates, following the right index until the page is full is faster.
 */
export function compilePrefiltered(plan: ReadPlan, output: Output): ReadAttempt | undefined {
  const { from, where, limit, groupBy } = plan;
  const query = candidateQuery(from, where);
  if (query === undefined) return undefined;
  const statement = compileRead(plan, output, prefilterDialect(from));
  if (limit === undefined || groupBy !== undefined) return { statement };
  const isBetter = buildStatement(guardedDialect, (bind) => {
    const some = `select 1 from (${candidateRows(from, query, bind)}) limit ${FEW_CANDIDATES + 1}`;
    return `select count(*) <= ${FEW_CANDIDATES} from (${some})`;
  });
  return { statement, isBetter };
}
