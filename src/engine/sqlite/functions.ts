/** PostgreSQL's text operators and casts as SQL functions. Null in, null out. */
import type { Database } from 'bun:sqlite';
import { comparableDecimal } from '../../collection/decimal.ts';
import { readInt4 } from '../../collection/field-types.ts';
import { Refusal } from '../../errors.ts';
import { MAX_CONDITIONS } from '../../limits.ts';
import { compileRegex } from '../text/regex.ts';
import { compileSearch, type SearchMode } from '../text/search/index.ts';
import { compileLike } from './like.ts';

type Test = (text: string) => boolean;

export function defineFunctions(db: Database): void {
  const like = remembered((pattern: string, caseless: number) => compileLike(pattern, caseless === 1));
  const regex = remembered((pattern: string, caseless: number) => compileRegex(pattern, caseless === 1));
  const search = remembered((mode: SearchMode, config: string, query: string) => compileSearch(mode, config, query));
  const test = (text: string | null, compiled: Test) => (text === null ? null : Number(compiled(text)));

  db.function('text_like', (text, pattern, caseless) => test(text, like(pattern, caseless)));
  db.function('text_regex', (text, pattern, caseless) => test(text, regex(pattern, caseless)));
  db.function('text_search', (text, mode, config, query) => test(text, search(mode, config, query)));
  db.function('text_to_int4', (text) => (text === null ? null : readInt4(text)));
  db.function('text_to_decimal', (text) => (text === null ? null : readDecimal(text)));
  db.function('whole_of', (bits, value) => (value === null ? null : checkWhole(bits, value)));
  db.function('text_to_bool', (text) => (text === null ? null : Number(readBool(text))));
}

/** A scan asks for the same patterns row after row: as many are kept as one request may hold. */
function remembered<Args extends readonly (string | number)[]>(
  compile: (...args: Args) => Test,
): (...args: Args) => Test {
  const kept = new Map<string, Test>();
  return (...args) => {
    const key = args.join('\0');
    const known = kept.get(key);
    if (known !== undefined) return known;
    const compiled = compile(...args);
    if (kept.size >= MAX_CONDITIONS) kept.clear();
    kept.set(key, compiled);
    return compiled;
  };
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
