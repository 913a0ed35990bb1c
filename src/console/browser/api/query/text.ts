/**
 * Names, values, paths and keys as the query language has them. The key of a row is text, for addresses and caches: the
 * parts of a composite key are encoded and separated by commas.
 */
import { unlessThrown } from '../../../../base/errors.ts';
import { pathPart } from '../../../../base/net/query-string.ts';
import { quote } from '../../../../dialect/names.ts';
import { encodeValue, printName } from '../../../../dialect/print.ts';
import type { Collection, Row } from '../catalogue.ts';

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

export function keyText({ key }: Collection, row: Row): string {
  return key.map(({ name }) => encodeURIComponent(String(row[name]))).join(',');
}

/** The text of a part of an address, or the part itself if someone cut or mistyped it. */
export const decoded = (part: string): string => unlessThrown(() => decodeURIComponent(part)) ?? part;

export function keyParts(text: string): readonly string[] {
  return text.split(',').map(decoded);
}

/** The path of a row in the API. Only a key of one field has a path of its own; others are a filter. */
export function rowPath(collection: Collection, key: string): string {
  if (collection.key.length === 1) return `${pathOf(collection)}/${encodeURIComponent(decoded(key))}`;
  const parts = keyParts(key);
  const filters = collection.key.map(({ name }, at) => `${parameter(name)}=eq.${encodeURIComponent(parts[at] ?? '')}`);
  return `${pathOf(collection)}?${filters.join('&')}`;
}

export function keysFilter({ key }: Pick<Collection, 'key'>, rows: readonly Row[]): string {
  if (key.length === 1) {
    const { name } = key[0]!;
    return `${parameter(name)}=in.(${encodeURIComponent(rows.map((row) => quoted(row[name])).join(','))})`;
  }
  const terms = rows.map(
    (row) => `and(${key.map(({ name }) => `${printName(name)}.eq.${quoted(row[name])}`).join(',')})`,
  );
  return `or=(${encodeURIComponent(terms.join(','))})`;
}

/** The key fields of a row, which identify it in the body of a bulk update. */
export function keyOf({ key }: Collection, row: Row): Row {
  return Object.fromEntries(key.map(({ name }) => [name, row[name] ?? null]));
}

/** The console address of a row, below `/console`. */
export function rowAddress(collection: Collection, row: Row): string {
  return `/c${pathOf(collection)}/${keyText(collection, row)}`;
}
