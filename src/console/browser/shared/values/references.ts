/**
 * References to rows of other collections. Lists and rows are requested together with the titles of referenced rows. A
 * title arrives as `<field>_title`: an object with the key and the title.
 */
import type { Collection, Field } from '../../../../collection/declaration.ts';
import {
  type Cells,
  collection,
  collectionNamed,
  collections,
  fieldNamed,
  titleFieldOf,
  titleIn,
} from '../api/collection.ts';

/** The collection that a field refers to; undefined if it has no reference or the role does not see it. */
export function referenceOf({ name }: Field): Collection | undefined {
  const reference = collection.references.find(({ field }) => field.name === name);
  return reference && collectionNamed(reference.to);
}

/** The name of the embedded title in a row. */
const placeOf = ({ name }: Field): string => `${name}_title`;

/** References with a title, whose embedding does not collide with a field. */
const named = collection.references
  .map(({ field }) => field)
  .filter((field) => {
    const other = referenceOf(field);
    return other !== undefined && titleFieldOf(other) !== undefined && fieldNamed(placeOf(field)) === undefined;
  });

/** The `select` that embeds titles; undefined if there are none. */
export const withTitles: string | undefined =
  named.length === 0
    ? undefined
    : ['*', ...named.map((field) => `${placeOf(field)}:${field.name}(${namesOf(referenceOf(field)!)})`)].join(',');

/** The embedding that shows a field as a title; undefined if the field is shown as stored. */
export function shownTitle(name: string): { readonly place: string; readonly title: string } | undefined {
  const field = named.find((each) => each.name === name);
  return field && { place: placeOf(field), title: titleFieldOf(referenceOf(field)!)!.name };
}

/** The fields that identify a row: key and title. */
export function namesOf(of: Collection): string {
  const title = titleFieldOf(of);
  return [...of.key, ...(title === undefined ? [] : [title])].map(({ name }) => name).join(',');
}

/** The title of the row that a field refers to; undefined if unknown. */
export function referencedTitle(field: Field, row: Cells): string | undefined {
  const other = referenceOf(field);
  const value = row[field.name];
  if (other === undefined || value === null || value === undefined) return undefined;
  const found = (row as Readonly<Record<string, unknown>>)[placeOf(field)];
  if (typeof found !== 'object' || found === null) return cachedTitle(field, value);
  const title = titleIn(other, found as Cells);
  // During an edit the value may differ from the embedded row.
  if (String((found as Cells)[other.key[0]!.name]) !== String(value)) return cachedTitle(field, value);
  cacheTitle(field, value, title);
  return title;
}

/** A cache of titles, so that filters can be described without requests. */
const known = new Map<string, string>();
const placeIn = (field: Field, value: unknown) => `${field.name} ${String(value)}`;

export function cacheTitle(field: Field, value: unknown, title: string): void {
  known.set(placeIn(field, value), title);
}

export function cachedTitle(field: Field, value: unknown): string | undefined {
  return known.get(placeIn(field, value));
}

/** The address of a row's page; undefined if the collection has no row pages. */
export function hrefOfRow({ name }: Collection, id: unknown): string | undefined {
  if (!collections.some((each) => each.name === name)) return undefined;
  return `?collection=${encodeURIComponent(name)}#/${name}/${encodeURIComponent(String(id))}`;
}

/** The address of a filtered list; undefined if the collection has no list. */
export function hrefOfList({ name }: Collection, where: readonly unknown[]): string | undefined {
  if (!collections.some((each) => each.name === name)) return undefined;
  const query = new URLSearchParams({ filter: JSON.stringify({ where }), page: '1' });
  return `?collection=${encodeURIComponent(name)}#/${name}?${query}`;
}

export function hrefOfNew({ name }: Collection): string {
  return `?collection=${encodeURIComponent(name)}#/${name}/create`;
}

/** Caches the titles of all shown rows. */
export function cacheTitles(rows: readonly Cells[]): void {
  for (const row of rows) for (const field of named) referencedTitle(field, row);
}
