/**
 * Titles of referenced rows. Lists and rows are requested together with them. A title arrives as `<field>_title`: an
 * object with the key and the title of the other row.
 */
import { type Collection, type Field, type Row, referenceOf, titleFieldOf, titleOf } from '../catalogue.ts';
import { queryClient } from '../query-client.ts';
import { printName } from './text.ts';

const titleAlias = ({ name }: Field): string => `${name}_title`;

/** References with a title, whose embedding does not collide with a field. */
function titledFields(collection: Collection): readonly Field[] {
  return collection.references
    .map(({ field }) => field)
    .filter((field) => {
      const other = referenceOf(collection, field);
      return other !== undefined && titleFieldOf(other) !== undefined && !collection.byName.has(titleAlias(field));
    });
}

/** The `select` that embeds titles; undefined if there are none. */
export function selectTitles(collection: Collection): string | undefined {
  const titled = titledFields(collection);
  if (titled.length === 0) return undefined;
  const embedded = titled.map(
    (field) =>
      `${printName(titleAlias(field))}:${printName(field.name)}(${namesOf(referenceOf(collection, field)!).join(',')})`,
  );
  return ['*', ...embedded].join(',');
}

/** The sort expression of a field. A reference is sorted by its title. */
export function orderName(collection: Collection, name: string): string {
  const field = titledFields(collection).find((each) => each.name === name);
  if (field === undefined) return printName(name);
  return `${printName(titleAlias(field))}(${printName(titleFieldOf(referenceOf(collection, field)!)!.name)})`;
}

/** The fields that identify a row, for `select`: key and title, which may be the key. */
export function namesOf(collection: Collection): readonly string[] {
  const title = titleFieldOf(collection);
  return [...new Set([...collection.key, title ?? []].flat())].map(({ name }) => printName(name));
}

/** The title of a row in the cache, so that filters and edited cells need no request. It stays as long as the page. */
export const titleKey = ({ name }: Collection, key: unknown) => ['title', name, String(key)];
queryClient.setQueryDefaults(['title'], { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY });

export function cacheTitle(collection: Collection, row: Row): void {
  const key = row[collection.key[0]!.name];
  const title = titleOf(collection, row);
  if (cachedTitle(collection, key) !== title) queryClient.setQueryData(titleKey(collection, key), title);
}

export function cachedTitle(collection: Collection, key: unknown): string | undefined {
  return queryClient.getQueryData(titleKey(collection, key));
}

/** The number of known rows with this title, in any case. */
export const countTitled = ({ name }: Collection, title: string): number =>
  queryClient
    .getQueriesData<string>({ queryKey: ['title', name] })
    .filter(([, each]) => each?.toLowerCase() === title.trim().toLowerCase()).length;

/** Stores the titles of the rows that these rows refer to. */
export function cacheTitles(collection: Collection, rows: readonly Row[]): void {
  for (const field of titledFields(collection)) {
    const other = referenceOf(collection, field)!;
    for (const row of rows) {
      const found = (row as Readonly<Record<string, unknown>>)[titleAlias(field)];
      if (typeof found === 'object' && found !== null) cacheTitle(other, found as Row);
    }
  }
}
