/** The form of a field as texts, and the merge patch of the declaration that it means. */
import { type FieldDraft, VALUE_RULES } from '../../../collection/draft.ts';
import type { Patch } from './api.ts';

/** The properties that a form can set, in its order. */
export const PROPERTIES = [
  'title',
  'description',
  'required',
  'unique',
  'default',
  'references',
  ...VALUE_RULES,
] as const;
export type Property = (typeof PROPERTIES)[number];
export type FieldForm = Readonly<Record<Property, string>>;

export const TYPES = [
  'text',
  'int4',
  'int8',
  'decimal(12,2)',
  'float8',
  'boolean',
  'date',
  'time',
  'timestamptz',
  'uuid',
  'json',
  'text[]',
  'image',
  'file',
];

/** Switches are `true` or empty. */
export function formOf(field?: FieldDraft): FieldForm {
  const texts = PROPERTIES.map((name) => [name, printed(field, name)]);
  return Object.fromEntries(texts) as FieldForm;
}

function printed(field: FieldDraft | undefined, name: Property): string {
  const value = name === 'references' ? field?.references?.collection : field?.[name];
  if (value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The changed properties, with null for one that is removed. A new field has all of its properties. */
export function fieldPatch(type: string, form: FieldForm, before = formOf()): Patch {
  const changed = PROPERTIES.filter((name) => form[name].trim() !== before[name]);
  return { type, ...Object.fromEntries(changed.map((name) => [name, propertyOf(name, type, form[name].trim())])) };
}

function propertyOf(name: Property, type: string, text: string): unknown {
  if (text === '') return null;
  switch (name) {
    case 'required':
    case 'unique':
      return true;
    case 'oneOf':
      return text.split(',').map((each) => scalarOf(type, each.trim()));
    case 'maxLength':
      return scalarOf('int4', text);
    case 'minimum':
    case 'maximum':
    case 'default':
      return scalarOf(type, text);
    default:
      return text;
  }
}

/** A number of few digits, a truth value, or a text. The service reads the number of a longer text exactly. */
function scalarOf(type: string, text: string): unknown {
  if (/^(int|decimal|float|numeric)/.test(type) && /^-?\d{1,12}(\.\d{1,3})?$/.test(text)) return Number(text);
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text;
}
