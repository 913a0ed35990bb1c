/** Searches rows by the typed text, for inputs, and loads the titles of rows by their keys. */
import { type Collection, isText, type Row, titleFieldOf, titleOf } from '../catalogue.ts';
import { ask } from '../client.ts';
import { encodeValue, escapeLike, parameter, pathOf, printName, queryText, quoted } from './filter-text.ts';
import type { Pair } from './list.ts';
import { cacheTitle, namesOf } from './titles.ts';

const MAX_FOUND = 20;

/** The rows whose titles contain the words, with their keys as values. */
export async function findRows(collection: Collection, typed: string, signal?: AbortSignal) {
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
