/** Quoting for the query language, in one place. */
import { pathPart } from '../../../../base/net/query-string.ts';
import { quote } from '../../../../dialect/names.ts';
import { encodeValue, printName } from '../../../../dialect/print.ts';

export { encodeValue, printName };

/** The path of a collection in the API. */
export function pathOf({ name }: { readonly name: string }): string {
  return `/${pathPart(name)}`;
}

/** The name of a field as a parameter. */
export const parameter = (name: string): string => encodeValue(printName(name));

/** A name as `printName` prints it, and back. */
export function readName(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : text;
}

/** A value within a list or a logical expression: always quoted, except for numbers. */
export function quoted(value: unknown): string {
  return typeof value === 'number' ? String(value) : quote(String(value));
}

/** The condition on a value. Null and booleans have an operator of their own. */
export function equals(value: unknown): string {
  return `${value === null || typeof value === 'boolean' ? 'is' : 'eq'}.${value}`;
}

/** Escapes the wildcards of `like`. */
export function escapeLike(word: string): string {
  return word.replace(/[\\%_*]/g, '\\$&');
}

export function queryText(pairs: Iterable<readonly [name: string, value: string]>): string {
  return [...pairs].map(([name, value]) => `${encodeValue(name)}=${encodeValue(value)}`).join('&');
}

export function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
