/** PostgreSQL's text operators and casts as SQL functions. Null in, null out. */
import type { Database } from 'bun:sqlite';
import { Refusal } from '../../errors.ts';
import { compileRegex } from '../text/regex.ts';
import { compileSearch, type SearchMode } from '../text/search/index.ts';
import { compileLike } from './like.ts';
import { defineNumbers } from './numbers.ts';
import { type Matches, Patterns } from './patterns.ts';

export function defineFunctions(db: Database): void {
  const test = (text: string | null, matches: Matches) => (text === null ? null : Number(matches(text)));

  db.function('text_like', (text, pattern, caseless) => test(text, like.get(pattern, caseless)));
  db.function('text_regex', (text, pattern, caseless) => test(text, regex.get(pattern, caseless)));
  db.function('text_search', (text, mode, config, query) => test(text, search.get(mode, config, query)));
  db.function('text_to_bool', (text) => (text === null ? null : Number(readBool(text))));
  defineNumbers(db);
}

/** For all connections of a thread: what is compiled for one may be used by another. */
const like = new Patterns((pattern: string, caseless: number) => ({
  test: compileLike(pattern, caseless === 1),
  size: pattern.length,
}));
const regex = new Patterns((pattern: string, caseless: number) => compileRegex(pattern, caseless === 1));
const search = new Patterns((mode: SearchMode, config: string, query: string) => ({
  test: compileSearch(mode, config, query),
  size: query.length,
}));

/** After a statement that may have had many. */
export function forgetPatterns(): void {
  for (const patterns of [like, regex, search]) patterns.forget();
}

/** PostgreSQL takes any beginning of these words that is not ambiguous. */
function readBool(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (word !== '' && ['true', 'yes', '1'].some((each) => each.startsWith(word))) return true;
  if (word !== '' && ['false', 'no', '0'].some((each) => each.startsWith(word))) return false;
  if (word === 'on' || word === 'of' || word === 'off') return word === 'on';
  throw new Refusal('22P02', `invalid input syntax for type boolean: "${text}"`);
}
