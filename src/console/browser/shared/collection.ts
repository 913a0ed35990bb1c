/**
 * The collections as the service declares them: the page carries them as data, so that no list of fields is kept here. The
 * console shows one at a time, which its address names: `?collection=suppliers`.
 */
import { type Collection, declareCatalogue, type Field } from '../../../collection/declaration.ts';
import type { CollectionDraft } from '../../../collection/draft.ts';
import { can } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { counted } from './numbers.ts';

interface PageData {
  readonly collections: readonly CollectionDraft[];
  readonly version: string;
}

const data = JSON.parse(document.getElementById('data')?.textContent ?? '{}') as PageData;

export const { version } = data;
const all = [...declareCatalogue({ collections: data.collections }).collections.values()];
/** A row is read and written at its own URL, which a key of several fields does not have. */
export const collections = all.filter((each) => each.key.length === 1);
export const unshown = all.filter((each) => each.key.length > 1);
const asked = new URLSearchParams(location.search).get('collection');
const collection = collections.find(({ name }) => name === asked) ?? collections[0] ?? all[0]!;
export const { name: collectionName, fields } = collection;
export const key: Field = collection.key[0]!;
export const collectionTitle = titleOfCollection(collection);

export function titleOfCollection({ title, name }: Collection): string {
  return title ?? capitalized(name.replaceAll('_', ' '));
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function collectionNamed(name: string): Collection | undefined {
  return all.find((each) => each.name === name);
}

/** Collections of which rows go when a row of this one is deleted, and cannot be brought back with it. */
export const deletedWithRows = all.filter(({ references }) =>
  references.some(({ to, onDelete }) => to === collectionName && onDelete === 'cascade'),
);

/** A row of the collection in words: `product`, `stock move`. */
export function oneOf(): string {
  return collectionName
    .replaceAll('_', ' ')
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1');
}

/** `1 product`, `2,500 products`. */
export function countedRows(count: number): string {
  return counted(count, oneOf(), collectionName.replaceAll('_', ' '));
}

export const listPath = `/${collectionName}`;

export type Cells = Readonly<Record<string, Value>>;
/** A row, with the id that react-admin wants beside whatever the key is called. */
export type Id = number | string;
export type Record_ = Cells & { readonly id: Id };

/** Of an id that came by way of the address, which is text. */
export function idOf(id: Id): Id {
  return isNumeric(key) && Number.isSafeInteger(Number(id)) ? Number(id) : String(id);
}

export function fieldNamed(name: string): Field | undefined {
  return fields.find((field) => field.name === name);
}

export function fieldWith(role: string): Field | undefined {
  return fields.find((field) => field.role === role);
}

export function itemPath(id: Value): string {
  return `${listPath}/${encodeURIComponent(String(id))}`;
}

/** A field's name as people write it: `unit_price` is Unit price, `category_id` Category. */
export function labelOf({ name, title }: Field): string {
  if (title !== undefined) return title;
  if (name === 'id') return 'ID';
  const words = name.replace(/_id$/, '').replaceAll('_', ' ');
  return capitalized(words);
}

/** Names longer than this are cut where they stand in a sentence. */
const LONG_NAME = 80;

export function titleOf(row: Cells): string {
  const title = fieldWith('title');
  const name = title === undefined ? undefined : row[title.name];
  if (name === undefined || name === null || name === '') return `${labelOf(key)} ${row[key.name]}`;
  const letters = [...String(name)];
  return letters.length <= LONG_NAME ? String(name) : `${letters.slice(0, LONG_NAME).join('')}…`;
}

/** Entered as JSON text. */
export const isJson = ({ type }: Field): boolean => type.input === 'json' || type.input === 'list';
export const isNumeric = ({ type }: Field): boolean => can(type, 'number');
export const isText = ({ type }: Field): boolean => can(type, 'text');
/** A number that may have decimals. */
export const isDecimal = ({ type }: Field): boolean => can(type, 'number') && type.schema.type !== 'integer';
/** Not those that the service keeps itself. */
export const isWritable = ({ readOnly, onUpdate }: Field): boolean => !readOnly && onUpdate === undefined;

/** What is said below an input. A description that only repeats the label, or explains how a switch is stored, is left out. */
export function describes(field: Field): string | undefined {
  const { description = '', role } = field;
  const isTelling = description.replace('.', '').toLowerCase() !== labelOf(field).toLowerCase();
  return role !== 'flag' && isTelling && description !== '' ? description : undefined;
}
