/** Searches rows by the typed text, for inputs, and loads the titles of rows by their keys. */
import { type Collection, isText, type Row, titleFieldOf, titleOf } from '../catalogue.ts';
import { ask } from '../client.ts';
import type { Pair } from './list.ts';
import { escapeLike, pathOf, printName, queryText, quoted } from './text.ts';
import { cacheTitle, namesOf } from './titles.ts';

const MAX_FOUND = 20;

/** Reads the keys and titles of rows, and stores the titles in the cache. */
export async function readNames(collection: Collection, pairs: readonly Pair[], signal?: AbortSignal) {
  const query = queryText([['select', namesOf(collection).join(',')], ...pairs]);
  const rows = (await ask(`${pathOf(collection)}?${query}`, { signal })).json as readonly Row[];
  for (const row of rows) cacheTitle(collection, row);
  return rows;
}

/** The rows whose titles contain the words, with their keys as values. */
export async function findRows(collection: Collection, typed: string, signal?: AbortSignal) {
  const title = titleFieldOf(collection) ?? collection.key[0]!;
  const words = typed.split(/\s+/).filter((word) => word !== '');
  const isSearchable = isText(title);
  const conditions = words.map(
    (word): Pair => [printName(title.name), isSearchable ? `ilike.*${escapeLike(word)}*` : `eq.${word}`],
  );
  const page: readonly Pair[] = [
    ['order', printName(title.name)],
    ['limit', String(MAX_FOUND)],
  ];
  return (await readNames(collection, [...conditions, ...page], signal)).map((row) => ({
    value: String(row[collection.key[0]!.name]),
    label: titleOf(collection, row),
  }));
}

/** Loads the titles of rows into the cache, by their keys. */
export async function readTitles(collection: Collection, keys: readonly string[], signal?: AbortSignal): Promise<void> {
  const filter: Pair = [printName(collection.key[0]!.name), `in.(${keys.map(quoted).join(',')})`];
  await readNames(collection, [filter], signal);
}
