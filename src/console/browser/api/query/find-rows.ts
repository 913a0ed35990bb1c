/** Searches rows of a collection by the typed text, for inputs and the command palette. */
import { type Collection, isText, type Row, titleFieldOf, titleOf } from '../catalogue.ts';
import { ask } from '../client.ts';
import { encodeValue, escapeLike, parameter, pathOf, printName, queryText, quoted } from './filter-text.ts';
import { keyText } from './keys.ts';
import type { Pair } from './list.ts';
import { cacheTitle, namesOf } from './titles.ts';

const MAX_FOUND = 20;

export interface RowOption {
  /** The key as text: the value of a reference. */
  readonly value: string;
  readonly label: string;
  /** The encoded key, for the address of the row. */
  readonly key: string;
}

export async function findRows(
  collection: Collection,
  typed: string,
  signal?: AbortSignal,
): Promise<readonly RowOption[]> {
  const title = titleFieldOf(collection) ?? collection.key[0]!;
  const words = typed.split(/\s+/).filter((word) => word !== '');
  const isSearchable = isText(title);
  const conditions = words.map(
    (word): Pair => [printName(title.name), isSearchable ? `ilike.*${escapeLike(word)}*` : `eq.${word}`],
  );
  const query = queryText([
    ['select', namesOf(collection).join(',')],
    ...conditions,
    ['order', printName(title.name)],
    ['limit', String(MAX_FOUND)],
  ]);
  const { json } = await ask(`${pathOf(collection)}?${query}`, { signal });
  for (const row of json as Row[]) cacheTitle(collection, row);
  return (json as Row[]).map((row) => ({
    value: String(row[collection.key[0]!.name]),
    label: titleOf(collection, row),
    key: keyText(collection, row),
  }));
}

/** Loads the titles of rows into the cache, by their keys. */
export async function readTitles(collection: Collection, keys: readonly string[], signal?: AbortSignal): Promise<void> {
  const filter = `${parameter(collection.key[0]!.name)}=in.(${encodeValue(keys.map(quoted).join(','))})`;
  const { json } = await ask(`${pathOf(collection)}?select=${encodeValue(namesOf(collection).join(','))}&${filter}`, {
    signal,
  });
  for (const row of json as Row[]) cacheTitle(collection, row);
}
