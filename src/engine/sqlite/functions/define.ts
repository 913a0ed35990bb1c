/** PostgreSQL's operators as SQL functions: text matching, and type operations by type name. Null in, null out. */
import type { Database, SQLFunctionResult } from 'bun:sqlite';
import { MAX_CONDITIONS } from '../../../base/limits/http.ts';
import { parseJson, WrittenNumber } from '../../../collection/exact-json.ts';
import { castValue } from '../../../collection/types/cast.ts';
import { compareText } from '../../../collection/types/compare.ts';
import { builtIn } from '../../../collection/types/index.ts';
import { shownText, stepInto } from '../../../collection/types/json/json-path.ts';
import { printJson } from '../../../collection/types/json/json-text.ts';
import type { Containment, Type } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { compileRegex } from '../../../text/regex.ts';
import { clipped, compileSearch, type SearchMode } from '../../../text/search/index.ts';
import { spend } from '../connection/deadline.ts';
import { defineComputed } from './computed.ts';
import { compileLike } from './like.ts';
import { defineNumeric, defineOperated } from './numeric.ts';
import { storedForm, valueIn } from './stored-values.ts';

export function defineFunctions(db: Database): void {
  definePatterns(db);
  defineTypes(db);
  defineJson(db);
  defineNumeric(db);
  defineOperated(db);
  defineComputed(db);
}

type Matches<Tested> = (tested: Tested) => boolean;

/** The compiled patterns of all kinds. They may be large, so they are released between statements. */
const caches: Map<string, unknown>[] = [];

/** Caches the patterns of one kind: a scan uses the same ones for every row. */
function cached<Args extends readonly (string | number)[], Tested>(compile: (...args: Args) => Matches<Tested>) {
  const compiled = new Map<string, Matches<Tested>>();
  caches.push(compiled);
  return (...args: Args): Matches<Tested> => {
    const key = args.join('\0');
    let matches = compiled.get(key);
    if (matches === undefined) {
      // The maximum per statement.
      if (compiled.size >= MAX_CONDITIONS) compiled.clear();
      matches = compile(...args);
      compiled.set(key, matches);
    }
    return matches;
  };
}

/** Shared by all connections of a thread. */
const like = cached((pattern: string, caseless: number) => compileLike(pattern, caseless === 1));
const regex = cached((pattern: string, caseless: number) => {
  const { test, steps } = compileRegex(pattern, caseless === 1);
  return (text: string) => {
    spend(steps(text.length) / INSTRUCTIONS_PER_STEP);
    return test(text);
  };
});
const search = cached((mode: SearchMode, config: string, query: string) => compileSearch(mode, config, query, spend));
const containment = cached((type: string, operator: Containment, stored: string) =>
  builtIn(type).contains!(operator, stored),
);

/** An instruction of a regular expression is this much cheaper than other counted steps. */
const INSTRUCTIONS_PER_STEP = 16;

/** Releases the patterns of a statement that may have compiled many. */
export function clearPatterns(): void {
  for (const patterns of caches) patterns.clear();
}

function definePatterns(db: Database): void {
  const test = <Tested extends string>(tested: Tested | null, matches: (tested: Tested) => boolean) => {
    if (tested === null) return null;
    spend(tested.length);
    return Number(matches(tested));
  };
  db.function('text_like', (text, pattern, caseless) => test<string>(text, like(pattern, caseless)));
  db.function('text_regex', (text, pattern, caseless) => test<string>(text, regex(pattern, caseless)));
  db.function('text_search', (text, mode, config, query) => test<string>(text, search(mode, config, query)));
  db.function('json_search', (json, mode, config, query) =>
    test<string>(json, (text) => search(mode, config, query)(clipped(text) === text ? stringsIn(text) : [])),
  );
  db.function('contains', (type, operator, tested, stored) =>
    test<string>(tested, containment(type, operator, stored)),
  );
}

const TYPED = { deterministic: true, safeIntegers: true } as const;

function defineTypes(db: Database): void {
  const define = (name: string, make: (type: Type, value: Value) => SQLFunctionResult) =>
    db.function(name, TYPED, (typeName, stored) => {
      if (stored === null) return null;
      const type = builtIn(typeName);
      return make(type, valueIn(type, stored));
    });
  define('text_of', (type, value) => type.print(value));
  define('json_of', (type, value) => type.json(value));
  define('key_of', (type, value) => type.key(value));
  // Not deterministic for words such as `now`.
  db.function('cast_as', { safeIntegers: true }, (fromName, toName, stored) => {
    if (stored === null) return null;
    const [from, to] = [builtIn(fromName), builtIn(toName)];
    return storedForm(to, castValue(from, to, valueIn(from, stored)));
  });
  for (const [name, sign] of [
    ['max_by_key', 1],
    ['min_by_key', -1],
  ] as const) {
    db.aggregate<{ key: string; stored: Value } | null>(name, {
      safeIntegers: true,
      step: (found, typeName, stored) => {
        if (stored === null) return undefined;
        const type = builtIn(typeName);
        const key = type.key(valueIn(type, stored));
        // The last of equal values, such as 5 and 5.0, wins, as in PostgreSQL.
        return found === null || compareText(key, found.key) * sign >= 0 ? { key, stored } : undefined;
      },
      result: (found) => found?.stored ?? null,
    });
  }
}

function defineJson(db: Database): void {
  db.function('json_printed', (text) => (text === null ? null : printJson(parseJson(text))));
  const inside = (json: string, steps: string) => stepInto(parseJson(json), JSON.parse(steps));
  db.function('json_path', { deterministic: true }, (json, steps) => {
    const element = json === null ? undefined : inside(json, steps);
    return element === undefined ? null : printJson(element);
  });
  db.function('json_path_text', { deterministic: true }, (json, steps) =>
    json === null ? null : shownText(inside(json, steps)),
  );
  db.function('json_strip_nulls', { deterministic: true }, withoutNulls);
}

/** All strings at any depth, in order, for full-text search. Names and numbers do not count. */
function stringsIn(text: string): readonly string[] {
  const strings: string[] = [];
  const gather = (json: unknown): void => {
    if (typeof json === 'string') strings.push(json);
    else if (Array.isArray(json)) json.forEach(gather);
    else if (typeof json === 'object' && json !== null) Object.values(json).forEach(gather);
  };
  gather(JSON.parse(text));
  return strings;
}

/** Removes null members at any depth. Null list items stay, since the others would shift. */
function withoutNulls(text: string): string {
  return print(parseJson(text));
}

function print(json: unknown): string {
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  if (json instanceof WrittenNumber) return json.text;
  if (Array.isArray(json)) return `[${json.map(print).join(',')}]`;
  const members = Object.entries(json).flatMap(([key, value]) =>
    value === null ? [] : `${JSON.stringify(key)}:${print(value)}`,
  );
  return `{${members.join(',')}}`;
}
