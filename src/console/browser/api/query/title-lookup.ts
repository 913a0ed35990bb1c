/** Loads titles of rows by their keys: for the log of changes, which has keys only. */
import { useQuery } from '@tanstack/react-query';
import { type Collection, collectionNamed, type Row, referenceOf, titleFieldOf, titleOf } from '../catalogue.ts';
import { type Change, rowOfLogKey } from '../changes.ts';
import { readTitles } from './find-rows.ts';
import { cachedTitle, cacheTitle } from './titles.ts';

type Titled = Pick<Change, 'collection' | 'key' | 'before' | 'after'>;

/** Titles by collection and key. */
export type Titles = ReadonlyMap<string, string>;

const placeOf = (collection: string, key: unknown): string => `${collection} ${String(key)}`;

/** The titles of changed rows. It also loads the titles of the rows that their values refer to. */
export function useChangeTitles(changes: readonly Titled[]): Titles {
  const wanted = wantedKeys(changes);
  const { data } = useQuery({
    queryKey: ['changes', 'titles', Object.fromEntries([...wanted].map(([name, keys]) => [name, [...keys].sort()]))],
    queryFn: async ({ signal }) => {
      const titles = new Map<string, string>();
      for (const [name, keys] of wanted) {
        const other = collectionNamed(name)!;
        for (const [key, title] of await readTitles(other, [...keys], signal)) titles.set(placeOf(name, key), title);
      }
      cacheReferences(changes, titles);
      return titles;
    },
    enabled: wanted.size > 0,
  });
  return data ?? new Map();
}

export function titleOfChange(titles: Titles, { collection: name, key, before, after }: Titled): string {
  const collection = collectionNamed(name);
  if (collection === undefined) return key;
  const known = titles.get(placeOf(name, key));
  return known ?? titleOf(collection, { ...rowOfLogKey(collection, key), ...before, ...after });
}

/** The keys whose titles the changes do not contain, by collection. Rows with a composite key have no title. */
function wantedKeys(changes: readonly Titled[]): ReadonlyMap<string, ReadonlySet<string>> {
  const wanted = new Map<string, Set<string>>();
  const want = (other: Collection, key: unknown) => {
    if (titleFieldOf(other) === undefined || other.key.length !== 1) return;
    wanted.set(other.name, (wanted.get(other.name) ?? new Set()).add(String(key)));
  };
  for (const { collection: name, key, before, after } of changes) {
    const collection = collectionNamed(name);
    if (collection === undefined) continue;
    const title = titleFieldOf(collection);
    if (title !== undefined && !(title.name in { ...before, ...after })) want(collection, key);
    for (const [field, other, value] of referencesIn(collection, before, after))
      if (cachedTitle(collection, field, value) === undefined) want(other, value);
  }
  return wanted;
}

function referencesIn(collection: Collection, ...rows: readonly (Row | null)[]) {
  return rows.flatMap((row) =>
    collection.references.flatMap(({ field }) => {
      const [other, value] = [referenceOf(collection, field), row?.[field.name] ?? null];
      return other === undefined || value === null ? [] : [[field, other, value] as const];
    }),
  );
}

function cacheReferences(changes: readonly Titled[], titles: Titles): void {
  for (const { collection: name, before, after } of changes) {
    const collection = collectionNamed(name)!;
    for (const [field, other, value] of collection === undefined ? [] : referencesIn(collection, before, after)) {
      const title = titles.get(placeOf(other.name, value));
      if (title !== undefined) cacheTitle(collection, field, value, title);
    }
  }
}
