/** The reads of a search as plain data: a thread can ask for them without the declaration and the engine's SQL. */
import { DOCUMENT } from '../../collection/search-fields.ts';
import { fieldExpression } from '../../plan/resolve.ts';
import type { Ranking, ReadPlan } from '../../plan/types.ts';
import type { NearPatterns } from '../../text/words/edit-distance.ts';
import { andGuard, compilePredicate } from '../sql/predicate.ts';
import { compileRead, scopeOf } from '../sql/read.ts';
import { buildStatement, identifier, type SqlDialect, type Statement } from '../sql/statement.ts';
import { joinReferences, textColumns } from './index-rows.ts';
import { LAST_CHUNK, UNUSED, type WordIndex } from './index-tables.ts';
import { rankedPlan } from './rank-job.ts';
import { letterOf } from './store-words.ts';

export type SearchRead =
  /** The rows of all words with these stems, or with a prefix. */
  | { readonly kind: 'stems'; readonly stems: readonly string[] }
  | { readonly kind: 'prefix'; readonly prefix: string }
  /** Words of these lengths that have one of the patterns. */
  | { readonly kind: 'similar'; readonly near: NearPatterns }
  /** Which of these rows satisfy a predicate of the search. */
  | { readonly kind: 'visible'; readonly predicate: number; readonly documents: readonly number[] }
  /** The rows of the page, and the texts of rows. */
  | { readonly kind: 'page'; readonly ranking: Ranking }
  | { readonly kind: 'texts'; readonly documents: readonly number[] };

/**
 * SQLite keeps the order of cross joins. Without statistics, it would search the table by an indexed field of a rule,
 * and read the whole list of rows for each row that it finds.
 */
export function compileSearchRead(dialect: SqlDialect, index: WordIndex, plan: ReadPlan, read: SearchRead): Statement {
  const { collection, documents, words, recent, doc, sameKey } = index;
  const table = identifier(collection.name);
  if (read.kind === 'page') {
    const columns = [{ name: 'document', expression: fieldExpression(DOCUMENT) }];
    return compileRead({ ...rankedPlan(plan, read.ranking), columns }, { form: 'plain', stripNulls: false }, dialect);
  }
  return buildStatement(dialect, (bind) => {
    const numbers = (list: readonly number[]) =>
      dialect.jsonRows(bind(JSON.stringify(list.map((each) => [each]))), ['number']);
    const chunks = 'select w.stem, w.word, w.chunk, w.docs from';
    const recentWords = `union all select null, r.names, r.last, r.docs from ${recent} as r`;
    switch (read.kind) {
      case 'stems': {
        const list = (texts: readonly string[]) =>
          dialect.jsonRows(bind(JSON.stringify(texts.map((text) => [text]))), ['text']);
        const letters = read.stems.filter((stem) => stem !== UNUSED).map(letterOf);
        return `${chunks} ${list(read.stems)} as l join ${words} as w on w.stem = c0
          ${recentWords} where r.letter in (select c0 from ${list(letters)} as l)`;
      }
      case 'prefix': {
        const range = `v.word >= ${bind(read.prefix)} and v.word < ${bind(`${read.prefix}\u{10ffff}`)}`;
        return `${chunks} ${words} as v cross join ${words} as w
          where ${range} and v.chunk = ${LAST_CHUNK} and w.stem = v.stem and w.word = v.word
          ${recentWords} where r.letter = ${bind(letterOf(read.prefix))}`;
      }
      case 'similar': {
        const { shortest, longest, patterns } = read.near;
        const tests = patterns.map((pattern) => `word like ${bind(pattern)}`).join(' or ');
        return `select stem, word from ${words} where letters > 0 and letters between ${bind(shortest)} and ${bind(longest)} and (${tests})
          union all select null, names from ${recent}`;
      }
      case 'visible': {
        const list = numbers(read.documents);
        const predicate = plan.search!.visible[read.predicate]!;
        const scope = scopeOf(dialect, bind, collection.name);
        const where = compilePredicate(predicate, scope);
        return `select d.${doc} as doc from ${list} as l cross join ${documents} as d cross join ${table}
          where d.${doc} = l.c0 and ${sameKey(table, 'd')} and (${where})${andGuard(scope)}`;
      }
      case 'texts':
        return `select d.${doc} as doc, ${textColumns(dialect, index)} from ${numbers(read.documents)} as l cross join ${documents} as d
          cross join ${table} as r${joinReferences(index)} where d.${doc} = l.c0 and ${sameKey('r', 'd')}`;
    }
  });
}
