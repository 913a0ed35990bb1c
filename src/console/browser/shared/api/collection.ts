/**
 * The collections, from the declaration that the page carries as data. The console shows one collection at a time,
 * named in the address: `?collection=suppliers`.
 */
import { type Collection, declareCatalogue, type Field } from '../../../../collection/declaration.ts';
import type { CollectionDraft } from '../../../../collection/draft.ts';
import { can } from '../../../../collection/types/type.ts';
import type { Value } from '../../../../collection/value.ts';
import { isParameter } from '../../../../dialect/query.ts';
import { counted } from '../values/numbers.ts';
import { pageData } from './page-data.ts';

/** A placeholder if the role may read no collection and has to log in. */
const NONE: CollectionDraft = { name: 'nothing', key: ['id'], fields: [{ name: 'id', type: 'int4' }] };

/** Whether the role sees the key. The console identifies rows by it. */
const hasKey = ({ key, fields: shown }: CollectionDraft) =>
  key.every((name) => shown.some((each) => each.name === name));

export const { version } = pageData;
const drafts = pageData.collections.filter(hasKey);
export const allCollections = [
  ...declareCatalogue({ collections: drafts.length === 0 ? [NONE] : drafts }).collections.values(),
];
/** Names that addresses and queries contain without quotes. */
const isPlain = ({ name }: { readonly name: string }) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !isParameter(name);
/** Collections with a key of one field. Only their rows have a URL of their own. */
const isShown = (each: Collection) => each.key.length === 1 && [each, ...each.fields].every(isPlain);
export const collections = allCollections.filter(isShown);
export const unshown = allCollections.filter((each) => !isShown(each));
const asked = new URLSearchParams(location.search).get('collection');
export const collection = collections.find(({ name }) => name === asked) ?? collections[0] ?? allCollections[0]!;
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
  return allCollections.find((each) => each.name === name);
}

/** Collections whose rows are deleted together with a row of this one, and cannot be restored. */
export const deletedWithRows = allCollections.filter(({ references }) =>
  references.some(({ to, onDelete }) => to === collectionName && onDelete === 'cascade'),
);

/** The singular name of a collection: `product`, `stock move`. */
export function oneOf(name = collectionName): string {
  return name
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
/** A row with `id`, the name that react-admin expects for the key. */
export type Id = number | string;
export type KeyedRow = Cells & { readonly id: Id };

/** Converts an id from the address, which is text. */
export function idOf(id: Id): Id {
  return isNumeric(key) && Number.isSafeInteger(Number(id)) ? Number(id) : String(id);
}

export function fieldNamed(name: string): Field | undefined {
  return fields.find((field) => field.name === name);
}

export function fieldWithRole(role: string): Field | undefined {
  return fields.find((field) => field.role === role);
}

/** The field that names a row for people: the declared one, else the first required text. */
export function titleFieldOf({ fields: given, key: keys }: Collection): Field | undefined {
  const isName = (field: Field) => isText(field) && field.required && field.rules.oneOf === undefined;
  return given.find(({ role }) => role === 'title') ?? given.find((field) => isName(field) && !keys.includes(field));
}

export function itemPath(id: Value): string {
  return `${listPath}/${encodeURIComponent(String(id))}`;
}

/** The label of a field: `unit_price` is Unit price, `category_id` is Category. */
export function labelOf({ name, title }: Field): string {
  if (title !== undefined) return title;
  if (name === 'id') return 'ID';
  const words = name.replace(/_id$/, '').replaceAll('_', ' ');
  return capitalized(words);
}

/** Longer titles are truncated within a sentence. */
const LONG_NAME = 80;

export function titleOf(row: Cells): string {
  return titleIn(collection, row);
}

/** The title of a row of any collection, or its key. */
export function titleIn(of: Collection, row: Cells): string {
  const title = titleFieldOf(of);
  const name = title === undefined ? undefined : row[title.name];
  if (name === undefined || name === null || name === '')
    return of.key.map((each) => `${labelOf(each)} ${row[each.name]}`).join(', ');
  const letters = [...String(name)];
  return letters.length <= LONG_NAME ? String(name) : `${letters.slice(0, LONG_NAME).join('')}…`;
}

/** Whether the value is entered as JSON text. */
export const isJson = ({ type }: Field): boolean => type.input === 'json' || type.input === 'list';
export const isNumeric = ({ type }: Field): boolean => can(type, 'number');
export const isText = ({ type }: Field): boolean => can(type, 'text');
/** Whether the number may have decimals. */
export const isDecimal = ({ type }: Field): boolean => can(type, 'number') && type.schema.type !== 'integer';
/** Whether a client may write the field. */
export const isWritable = ({ readOnly, onUpdate }: Field): boolean => !readOnly && onUpdate === undefined;

/** The help text of an input. A description is omitted if it repeats the label or explains how a flag is stored. */
export function helpTextOf(field: Field): string | undefined {
  const { description = '', role } = field;
  const isInformative = description.replace('.', '').toLowerCase() !== labelOf(field).toLowerCase();
  return role !== 'flag' && isInformative && description !== '' ? description : undefined;
}

export const titleField: Field | undefined = titleFieldOf(collection);
