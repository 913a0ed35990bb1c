/**
 * The key of a row as text, for addresses and caches. The parts of a composite key are encoded and separated by commas.
 */
import type { Collection, Row } from '../catalogue.ts';
import { parameter, pathOf, printName, quoted } from './filter-text.ts';

export function keyText({ key }: Collection, row: Row): string {
  return key.map(({ name }) => encodeURIComponent(String(row[name]))).join(',');
}

export function keyParts(text: string): readonly string[] {
  return text.split(',').map(decodeURIComponent);
}

/** The path of a row in the API. Only a key of one field has a path of its own; others are a filter. */
export function rowPath(collection: Collection, key: string): string {
  const parts = keyParts(key);
  if (collection.key.length === 1) return `${pathOf(collection)}/${encodeURIComponent(parts[0]!)}`;
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
