/**
 * Full text search as PostgreSQL does it: `to_tsvector(config, text) @@ to_tsquery(config, query)` and similar
 * functions.
 *
 *     text  → tokens → lexemes → vector ┐
 *     query → syntax → lexemes → tree   ┴→ match
 */
import { MAX_SEARCHED_LENGTH } from '../../base/limits/engine.ts';
import { type Lexeme, type Reader, readerFor } from './lexemes.ts';
import { matches, vectorOf } from './match.ts';
import { closeGaps, type Draft, NEXT_TO, type Query } from './query.ts';
import { parseOperators, parseText, parseWebSearch } from './syntax.ts';
import type { Spend } from './tokens.ts';

/** to_tsquery, plainto_tsquery, phraseto_tsquery and websearch_to_tsquery. */
export type SearchMode = 'fts' | 'plfts' | 'phfts' | 'wfts';

const PARSERS: Readonly<Record<SearchMode, (query: string, read: Reader) => Draft | null>> = {
  fts: parseOperators,
  plfts: (query, read) => parseText(query, read, { kind: 'and' }),
  phfts: (query, read) => parseText(query, read, NEXT_TO),
  wfts: parseWebSearch,
};

/** A text, or the texts of one document. */
type ParsedSearch = string | readonly string[];

/** Null for a query with only stop words. */
export function parseSearch(mode: SearchMode, query: string, read: Reader): Query | null {
  const draft = PARSERS[mode](query, read);
  return draft && closeGaps(draft);
}

/** Calls `spend` with the number of steps; `spend` may throw to stop the search. */
export function compileSearch(
  mode: SearchMode,
  config: string,
  query: string,
  spend: Spend = () => {},
): (searched: ParsedSearch) => boolean {
  const read = readerFor(config, spend);
  const tree = parseSearch(mode, query, read);
  // A query with only stop words matches no rows.
  if (!tree) return () => false;
  return (searched) =>
    matches(tree, vectorOf(typeof searched === 'string' ? read(clipped(searched)) : readAll(searched, read)), spend);
}

/** The characters of a text that are searched. */
export function clipped(text: string): string {
  if (text.length <= MAX_SEARCHED_LENGTH) return text;
  let end = 0;
  for (let count = 0; count < MAX_SEARCHED_LENGTH && end < text.length; count++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** Leaves a gap between two texts, so that no phrase spans both. */
function* readAll(texts: readonly string[], read: Reader): Generator<Lexeme> {
  let last = 0;
  for (const each of texts) {
    const before = last === 0 ? 0 : last + 1;
    for (const { text, position } of read(each)) {
      last = before + position;
      yield { text, position: last };
    }
  }
}

/** Rejects a query that does not parse. The syntax is independent of the configuration. */
export function checkSearch(mode: SearchMode, query: string): void {
  PARSERS[mode](query, readerFor('simple'));
}
