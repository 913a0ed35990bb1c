/** PostgreSQL's text operators and casts as SQL functions. Null in, null out. */
import type { Database } from 'bun:sqlite';
import { comparableDecimal } from '../../collection/decimal.ts';
import { readInt4 } from '../../collection/field-types.ts';
import { Refusal } from '../../errors.ts';
import { compileRegex } from '../text/regex.ts';
import { compileSearch, type SearchMode } from '../text/search/index.ts';
import { compileLike } from './like.ts';
import { type Matches, Patterns } from './patterns.ts';

export function defineFunctions(db: Database): void {
  const test = (text: string | null, matches: Matches) => (text === null ? null : Number(matches(text)));

  db.function('text_like', (text, pattern, caseless) => test(text, like.get(pattern, caseless)));
  db.function('text_regex', (text, pattern, caseless) => test(text, regex.get(pattern, caseless)));
  db.function('text_search', (text, mode, config, query) => test(text, search.get(mode, config, query)));
  db.function('text_to_int4', (text) => (text === null ? null : readInt4(text)));
  db.function('text_to_decimal', (text) => (text === null ? null : readDecimal(text)));
  db.function('whole_of', (bits, value) => (value === null ? null : checkWhole(bits, value)));
  db.function('text_to_bool', (text) => (text === null ? null : Number(readBool(text))));
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

function checkWhole(bits: 16 | 32, value: number): number {
  const bound = 2 ** (bits - 1);
  if (value >= -bound && value < bound) return value;
  throw new Refusal('22003', `${bits === 16 ? 'smallint' : 'integer'} out of range`);
}

function readDecimal(text: string): number {
  const number = comparableDecimal(text);
  if (number !== undefined) return number;
  throw new Refusal('22P02', `invalid input syntax for type numeric: "${text}"`);
}

/** PostgreSQL takes any beginning of these words that is not ambiguous. */
function readBool(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (word !== '' && ['true', 'yes', '1'].some((each) => each.startsWith(word))) return true;
  if (word !== '' && ['false', 'no', '0'].some((each) => each.startsWith(word))) return false;
  if (word === 'on' || word === 'of' || word === 'off') return word === 'on';
  throw new Refusal('22P02', `invalid input syntax for type boolean: "${text}"`);
}
