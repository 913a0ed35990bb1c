/** Loads titles of rows by their keys: for the log of changes, which has keys only. */
import { useQuery } from '@tanstack/react-query';
import { type Collection, collectionNamed, type Row, referenceOf, titleFieldOf, titleOf } from '../catalogue.ts';
import { type Change, rowOfLogKey } from '../changes.ts';
import { readTitles } from './find-rows.ts';
import { cachedTitle } from './titles.ts';

type Titled = Pick<Change, 'collection' | 'key' | 'before' | 'after'>;

/** Loads the titles of changed rows, and of the rows that their values refer to. */
export function useChangeTitles(changes: readonly Titled[]): void {
  const wanted = wantedKeys(changes);
  useQuery({
    queryKey: [
      'changes',
      'titles',
      Object.fromEntries([...wanted].map(([{ name }, keys]) => [name, [...keys].sort()])),
    ],
    queryFn: ({ signal }) => Promise.all([...wanted].map(([other, keys]) => readTitles(other, [...keys], signal))),
    enabled: wanted.size > 0,
    // The component renders again when the titles are there, although it does not use the result.
    notifyOnChangeProps: 'all',
  });
}

export function titleOfChange({ collection: name, key, before, after }: Titled): string {
  const collection = collectionNamed(name);
  if (collection === undefined) return key;
  const row: Row = { ...rowOfLogKey(collection, key), ...before, ...after };
  const title = titleFieldOf(collection);
  return (
    (title !== undefined && title.name in row ? undefined : cachedTitle(collection, key)) ?? titleOf(collection, row)
  );
}

/** The keys whose titles the changes do not contain, by collection. Rows with a composite key have no title. */
function wantedKeys(changes: readonly Titled[]): ReadonlyMap<Collection, ReadonlySet<string>> {
  const wanted = new Map<Collection, Set<string>>();
  const want = (other: Collection, key: unknown) => {
    if (titleFieldOf(other) === undefined || other.key.length !== 1) return;
    wanted.set(other, (wanted.get(other) ?? new Set()).add(String(key)));
  };
  for (const { collection: name, key, before, after } of changes) {
    const collection = collectionNamed(name);
    if (collection === undefined) continue;
    const title = titleFieldOf(collection);
    if (title !== undefined && !(title.name in { ...before, ...after })) want(collection, key);
    for (const { field } of collection.references) {
      const other = referenceOf(collection, field);
      for (const value of [before?.[field.name], after?.[field.name]])
        if (other !== undefined && value != null) want(other, value);
    }
  }
  return wanted;
}
