/**
 * Rows of other collections, by name. A list or a row is asked for together with the titles of the rows that it refers to, in
 * the same request: they come as `<field>_title`, an object with the key and the title of the other row.
 */
import type { Collection, Field } from '../../../collection/declaration.ts';
import {
  type Cells,
  collection,
  collectionNamed,
  collections,
  fieldNamed,
  titleFieldOf,
  titleIn,
} from './collection.ts';

/** The collection that a field refers to; undefined where it refers to none, or to one that the role does not see. */
export function referenceOf({ name }: Field): Collection | undefined {
  const reference = collection.references.find(({ field }) => field.name === name);
  return reference && collectionNamed(reference.to);
}

/** Where the title of the other row stands in a row. */
const placeOf = ({ name }: Field): string => `${name}_title`;

/** A title is asked for where there is one, and a place for it. */
const named = collection.references
  .map(({ field }) => field)
  .filter((field) => {
    const other = referenceOf(field);
    return other !== undefined && titleFieldOf(other) !== undefined && fieldNamed(placeOf(field)) === undefined;
  });

/** What is selected of a row so that titles come with it; undefined where there are none. */
export const withTitles: string | undefined =
  named.length === 0
    ? undefined
    : ['*', ...named.map((field) => `${placeOf(field)}:${field.name}(${namesOf(referenceOf(field)!)})`)].join(',');

/** The title that a field is shown as, and the name that the other row has in a list with titles; undefined where it is shown as it is stored. */
export function shownTitle(name: string): { readonly place: string; readonly title: string } | undefined {
  const field = named.find((each) => each.name === name);
  return field && { place: placeOf(field), title: titleFieldOf(referenceOf(field)!)!.name };
}

/** What a row is known by. */
export function namesOf(of: Collection): string {
  const title = titleFieldOf(of);
  return [...of.key, ...(title === undefined ? [] : [title])].map(({ name }) => name).join(',');
}

/** What the row is called that a field of this row refers to; undefined where that is not known. */
export function titleReferred(field: Field, row: Cells): string | undefined {
  const other = referenceOf(field);
  const value = row[field.name];
  if (other === undefined || value === null || value === undefined) return undefined;
  const found = (row as Readonly<Record<string, unknown>>)[placeOf(field)];
  if (typeof found !== 'object' || found === null) return knownTitle(field, value);
  const title = titleIn(other, found as Cells);
  // While a row is edited its value may be another one already.
  if (String((found as Cells)[other.key[0]!.name]) !== String(value)) return knownTitle(field, value);
  noteTitle(field, value, title);
  return title;
}

/** Titles that were seen, so that a filter can be told in words without asking for them. */
const known = new Map<string, string>();
const placeIn = (field: Field, value: unknown) => `${field.name} ${String(value)}`;

export function noteTitle(field: Field, value: unknown, title: string): void {
  known.set(placeIn(field, value), title);
}

export function knownTitle(field: Field, value: unknown): string | undefined {
  return known.get(placeIn(field, value));
}

/** The address of a row's page, whichever collection it is of; undefined where rows have no page of their own. */
export function hrefOfRow({ name }: Collection, id: unknown): string | undefined {
  if (!collections.some((each) => each.name === name)) return undefined;
  return `?collection=${encodeURIComponent(name)}#/${name}/${encodeURIComponent(String(id))}`;
}

/** The address of a list with a filter, in the same way. */
export function hrefOfList({ name }: Collection, where: readonly unknown[]): string | undefined {
  if (!collections.some((each) => each.name === name)) return undefined;
  const query = new URLSearchParams({ filter: JSON.stringify({ where }), page: '1' });
  return `?collection=${encodeURIComponent(name)}#/${name}?${query}`;
}

export function hrefOfNew({ name }: Collection): string {
  return `?collection=${encodeURIComponent(name)}#/${name}/create`;
}

/** Of all rows that are shown, before anything is told about them. */
export function noteTitles(rows: readonly Cells[]): void {
  for (const row of rows) for (const field of named) titleReferred(field, row);
}
