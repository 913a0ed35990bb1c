/** The query string of a call by GET: its arguments, and the parameters that refine the result. */
import { ApiError } from '../base/errors.ts';
import { splitQuery } from '../base/net/query-string.ts';
import { parseFilter } from './filter.ts';
import { isAfter, isLogicKey } from './logic.ts';
import { isLanguage, isParameter, parseQuery } from './query.ts';
import type { Query } from './tree.ts';

/** The values of an argument as text; several if it is repeated. */
export type TextArguments = ReadonlyMap<string, readonly string[]>;

/**
 * A value that is not a filter is an argument, as in PostgREST: `id=5`, in contrast to `id=eq.5`. So is `lang`, unless
 * it names the language.
 */
export function splitArguments(
  text: string,
  namesLanguage: boolean,
): { readonly given: string; readonly rest: string } {
  const pairs = text.split('&');
  const isGiven = (pair: string) =>
    splitQuery(pair).some(([key, value]) => isArgument(key, value) && !(namesLanguage && isLanguage(key, value)));
  return { given: pairs.filter(isGiven).join('&'), rest: pairs.filter((pair) => !isGiven(pair)).join('&') };
}

export function groupTexts(pairs: readonly (readonly [name: string, value: string])[]): TextArguments {
  const texts = new Map<string, readonly string[]>();
  for (const [name, value] of pairs) texts.set(name, [...(texts.get(name) ?? []), value]);
  return texts;
}

function isArgument(key: string, value: string): boolean {
  if (isParameter(key) || isLogicKey(key) || isAfter(key, value) || PAGE_OF_EMBEDDING.test(key)) return false;
  try {
    parseFilter('field', value);
    return false;
  } catch (error) {
    return error instanceof ApiError && error.code === 'PGRST100';
  }
}

const PAGE_OF_EMBEDDING = /\.(order|limit|offset|and|or)$/;

/** The refinement of a result. `selects`: the request has its own `select`. */
export interface Refinement extends Query {
  readonly selects: boolean;
}

export function parseRefinement(text: string): Refinement {
  return { ...parseQuery(text), selects: splitQuery(text).some(([key]) => key === 'select') };
}
