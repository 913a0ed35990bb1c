/** The collection as the service declares it: the page carries it as data, so that no list of fields is kept here. */
import { declareCollection, type Field } from '../../../collection/declaration.ts';
import type { CollectionDraft } from '../../../collection/draft.ts';
import { can } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { formatDecimal, formatNumber } from './numbers.ts';

interface PageData {
  readonly collection: CollectionDraft;
  readonly version: string;
}

const data = JSON.parse(document.getElementById('data')?.textContent ?? '{}') as PageData;

export const { version } = data;
const collection = declareCollection(data.collection);
export const { name: collectionName, fields } = collection;
export const key: Field = collection.key[0]!;
export const collectionTitle = collectionName.charAt(0).toUpperCase() + collectionName.slice(1);
export const listPath = `/${collectionName}`;

export type Cells = Readonly<Record<string, Value>>;
/** A row, with the id that react-admin wants beside whatever the key is called. */
export type Record_ = Cells & { readonly id: number };

export function fieldNamed(name: string): Field | undefined {
  return fields.find((field) => field.name === name);
}

export function fieldWith(role: string): Field | undefined {
  return fields.find((field) => field.role === role);
}

export function itemPath(id: Value): string {
  return `${listPath}/${id}`;
}

/** A field's name as people write it: `unit_price` is Unit price, `category_id` Category. */
export function labelOf({ name }: Field): string {
  if (name === 'id') return 'ID';
  const words = name.replace(/_id$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function titleOf(row: Cells): string {
  const title = fieldWith('title');
  const name = title === undefined ? undefined : row[title.name];
  return name === undefined || name === null || name === '' ? `${labelOf(key)} ${row[key.name]}` : String(name);
}

export function formatValue(field: Field, value: Value | undefined): string {
  if (value === null || value === undefined) return '–';
  if (field.role === 'flag') return value === 0 ? 'No' : 'Yes';
  if (typeof value !== 'number') return String(value);
  // An identifier is a name made of digits, and is not grouped into thousands.
  if (field === key || field.name.endsWith('_id')) return String(value);
  return isDecimal(field) ? formatDecimal(value, 2, 4) : formatNumber(value);
}

export const isNumeric = ({ type }: Field): boolean => can(type, 'number');
export const isText = ({ type }: Field): boolean => can(type, 'text');
/** A number that may have decimals. */
export const isDecimal = ({ type }: Field): boolean => can(type, 'number') && type.schema.type !== 'integer';
