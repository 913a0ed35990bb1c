/**
 * What a collection is: its name, its fields, their types. A plain value that every stage receives as an argument;
 * no stage reaches for a particular collection. Guarantees nothing by itself and touches no database.
 */
import { typeNamed } from './types/index.ts';
import type { Type } from './types/type.ts';
import type { Value } from './value.ts';

/** What a field means to people, beyond its type: the console's overview and search go by it. */
export const FIELD_ROLES = ['title', 'flag', 'group', 'price', 'stock', 'threshold'] as const;
export type FieldRole = (typeof FIELD_ROLES)[number];

export interface Field {
  readonly name: string;
  readonly type: Type;
  /** What the field holds, in a sentence for people: shown in the API's description. */
  readonly description: string;
  /** A required field is never null; without a default it must be given on creation. */
  readonly required?: boolean;
  readonly default?: Value;
  /** Clients often filter or sort by it: an index keeps that quick in a large catalogue. */
  readonly indexed?: boolean;
  /** At most one field has each role; what needs a role that nobody has is left out. */
  readonly role?: FieldRole;
}

export interface Collection {
  readonly name: string;
  /** In the order in which a row shows them. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** The field that identifies a row; an int4, assigned when absent. */
  readonly key: Field;
}

/** A collection as plain data: its types by their names. */
export interface CollectionDraft {
  readonly name: string;
  readonly key: string;
  readonly fields: readonly (Omit<Field, 'type'> & { readonly type: string })[];
}

/** Checks a declaration once, so that no stage has to. */
export function declareCollection({ name, key, fields: drafts }: CollectionDraft): Collection {
  const fields = drafts.map((draft): Field => {
    const type = typeNamed(draft.type);
    if (type === undefined) throw new Error(`${name}.${draft.name}: there is no type ${draft.type}`);
    return { ...draft, type };
  });
  const keyField = fields.find((field) => field.name === key);
  if (keyField === undefined || keyField.type.name !== 'int4')
    throw new Error(`${name}: the key ${key} must be an int4 field`);
  if (new Set(fields.map((field) => field.name)).size !== fields.length)
    throw new Error(`${name}: a field name repeats`);
  for (const each of [name, ...fields.map((field) => field.name)]) {
    if (!/^[a-z][a-z0-9_]*$/.test(each)) throw new Error(`${each}: names are lower case letters, digits and _`);
  }
  return { name, fields, byName: new Map(fields.map((field) => [field.name, field])), key: keyField };
}

/** The same as plain data, for another thread; `declareCollection` makes it a collection again. */
export function draftOf({ name, key, fields }: Collection): CollectionDraft {
  return { name, key: key.name, fields: fields.map((field) => ({ ...field, type: field.type.name })) };
}

export function fieldNamed(collection: Collection, name: string): Field | undefined {
  return collection.byName.get(name);
}
