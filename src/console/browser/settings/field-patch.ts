/** The form of a field as texts, and the merge patch of the declaration that it means. */
import { usableFields } from '../../../collection/declare-collection.ts';
import { type CollectionDraft, type FieldDraft, VALUE_RULES } from '../../../collection/draft.ts';
import { compileComputed } from '../../../collection/expression/expression.ts';
import { ExpressionError } from '../../../collection/expression/parse.ts';
import { typeNamed } from '../../../collection/types/index.ts';
import { t, translated } from '../i18n/text.ts';
import type { Patch } from './api.ts';

/** The properties that a form can set, in its order. */
export const PROPERTIES = [
  'title',
  'description',
  'required',
  'unique',
  'default',
  'computed',
  'translations',
  'references',
  'onDelete',
  ...VALUE_RULES,
] as const;
export type Property = (typeof PROPERTIES)[number];
export type FieldForm = Readonly<Record<Property, string>>;

export const TYPES =
  'text int4 int8 decimal(12,2) float8 boolean date time timestamptz uuid json text[] image file'.split(' ');

/** Switches are `true` or empty. */
export function formOf(field?: FieldDraft, collection?: CollectionDraft): FieldForm {
  const { references, ...others } = field ?? {};
  const languages = collection?.fields.flatMap(({ translates }) =>
    translates !== undefined && translates.field === field?.name ? [translates.language] : [],
  );
  const translations = languages?.length === 0 ? undefined : languages;
  const values = { ...others, translations, references: references?.collection, onDelete: references?.onDelete };
  return Object.fromEntries(PROPERTIES.map((name) => [name, printed(values[name])])) as FieldForm;
}

function printed(value: unknown): string {
  if (value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The changed properties, with null for one that is removed. A new field has all of its properties. */
export function fieldPatch(type: string, form: FieldForm, before = formOf()): Patch {
  const isChanged = (name: Property) => form[name].trim() !== before[name];
  // The effect of a delete is a part of the reference.
  const names = PROPERTIES.filter((name) => name !== 'onDelete' && isChanged(name));
  const changed = names.includes('references') || !isChanged('onDelete') ? names : [...names, 'references' as const];
  return { type, ...Object.fromEntries(changed.map((name) => [name, propertyOf(name, type, form)])) };
}

/** The mistake in the expression of a computed field, with its place. */
export function expressionProblem(type: string, text: string, fields: readonly FieldDraft[]): string | undefined {
  const target = typeNamed(type);
  if (text === '' || target === undefined) return undefined;
  try {
    compileComputed(text, target, usableFields(fields));
    return undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return t.settings.atColumn(error.at + 1, translated(error.wording));
    throw error;
  }
}

function propertyOf(name: Property, type: string, form: FieldForm): unknown {
  const text = form[name].trim();
  if (text === '') return null;
  switch (name) {
    case 'references':
      return form.onDelete === '' ? text : { collection: text, onDelete: form.onDelete };
    case 'translations':
      return text.split(',').map((each) => each.trim());
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
