/**
 * What a catalogue is: its collections, their fields, types, keys, references and rules. A plain value that every stage
 * receives as an argument; no stage reaches for a particular collection. Made of a draft that was found right; what is still
 * wrong with it is a mistake of ours.
 */
import { DEFAULT_MAX_VALUE_KB } from '../limits.ts';
import type { CatalogueDraft, CollectionDraft, FieldDraft, OnDelete } from './draft.ts';
import { typeNamed } from './types/index.ts';
import { isLong, storeJson, type Type } from './types/type.ts';
import type { Value } from './value.ts';

export interface Field {
  readonly name: string;
  readonly type: Type;
  /** What the field holds, in a sentence for people: shown in the API's description. */
  readonly title?: string;
  readonly description?: string;
  /** What the field means to people, beyond its type: the console's overview and search go by it. */
  readonly role?: string;
  /** A required field is never null; without a default it must be given on creation. */
  readonly required: boolean;
  /** What it holds where nothing is given: a value, or one that is made at the time. */
  readonly default?: Value;
  readonly generated?: 'now' | 'uuid';
  /** Set by every write that changes the row. */
  readonly onUpdate?: 'now';
  /** Never written by clients; of a table that something else made. */
  readonly readOnly: boolean;
  /** Where nothing is given, the database fills it in; of a table that something else made. */
  readonly filled: boolean;
  /** Clients often filter or sort by it: an index keeps that quick in a large catalogue. */
  readonly indexed: boolean;
  readonly rules: Rules;
  /** The most bytes that the text form of a value may have; what was stored before, or by others, may be longer. */
  readonly maxBytes: number;
}

/** What a value must be, beyond its type. */
export interface Rules {
  readonly minimum?: Value;
  readonly maximum?: Value;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly oneOf?: readonly Value[];
}

export interface Reference {
  /** The constraint, as PostgreSQL calls it: `products_category_id_fkey`. */
  readonly name: string;
  readonly field: Field;
  /** The collection that it refers to, by its key. */
  readonly to: string;
  readonly onDelete: OnDelete;
}

export interface Collection {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** In the order in which a row shows them. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** The fields that identify a row. */
  readonly key: readonly Field[];
  /** The key, where it is one whole number: assigned when absent. */
  readonly assigned: Field | undefined;
  /** Sets of fields that are unique together, beside the key. */
  readonly unique: readonly Unique[];
  readonly references: readonly Reference[];
  /** All collections of its catalogue, by their names. */
  readonly among: ReadonlyMap<string, Collection>;
  readonly draft: CollectionDraft;
}

export interface Unique {
  /** The constraint, as PostgreSQL calls it: `products_sku_key`. */
  readonly name: string;
  readonly fields: readonly Field[];
}

export interface Catalogue {
  readonly collections: ReadonlyMap<string, Collection>;
  /** By their names; absent where whoever reaches the service may do all. */
  readonly roles?: ReadonlyMap<string, unknown>;
  readonly draft: CatalogueDraft;
}

export function declareCatalogue(draft: CatalogueDraft): Catalogue {
  const collections = new Map<string, Collection>();
  for (const each of draft.collections) {
    collections.set(each.name, declareCollection(each, collections, draft.maxValueBytes));
  }
  return { collections, draft };
}

/** The same with another bound on the length of values. */
export function withMaxValue({ draft }: Catalogue, maxValueBytes: number): Catalogue {
  return declareCatalogue({ ...draft, maxValueBytes });
}

export function declareCollection(
  draft: CollectionDraft,
  among: ReadonlyMap<string, Collection> = new Map(),
  maxValueBytes: number = DEFAULT_MAX_VALUE_KB * 1024,
): Collection {
  const { name, title, description } = draft;
  const fields = draft.fields.map((field) => declareField(draft, field, maxValueBytes));
  const byName = new Map(fields.map((field) => [field.name, field]));
  const named = (each: string): Field => {
    const field = byName.get(each);
    if (field === undefined) throw new Error(`${name}: there is no field ${each}`);
    return field;
  };
  const key = draft.key.map(named);
  const sets = [
    ...draft.fields.filter((field) => field.unique === true).map((field) => [field.name]),
    ...(draft.unique ?? []),
  ];
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    fields,
    byName,
    key,
    assigned: key.length === 1 && ASSIGNED.includes(key[0]!.type.name) ? key[0] : undefined,
    unique: sets.map((names) => ({ name: `${name}_${names.join('_')}_key`, fields: names.map(named) })),
    references: draft.fields.flatMap((field) => {
      if (field.references === undefined) return [];
      const { collection: to, onDelete, constraint = `${name}_${field.name}_fkey` } = field.references;
      return [{ name: constraint, field: named(field.name), to, onDelete }];
    }),
    among,
    draft,
  };
}

const ASSIGNED = ['int4', 'int8'];

/** The text form of a number, a date or a time is never longer; nor is any character in UTF-8. */
const SHORT_VALUE_BYTES = 64;
const MAX_CHARACTER_BYTES = 4;

function maxBytesOf(type: Type, { maxLength }: FieldDraft, maxValueBytes: number): number {
  if (!isLong(type)) return SHORT_VALUE_BYTES;
  return Math.min(maxValueBytes, (maxLength ?? Number.POSITIVE_INFINITY) * MAX_CHARACTER_BYTES);
}

function declareField(collection: CollectionDraft, draft: FieldDraft, maxValueBytes: number): Field {
  const type = typeNamed(draft.type);
  if (type === undefined) throw new Error(`${collection.name}.${draft.name}: there is no type ${draft.type}`);
  const { name, title, description, role, onUpdate, indexed, references } = draft;
  return {
    name,
    type,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(role === undefined ? {} : { role }),
    required: (draft.required === true && draft.readOnly !== true) || collection.key.includes(name),
    ...defaultOf(type, draft.default),
    ...(onUpdate === undefined ? {} : { onUpdate }),
    readOnly: draft.readOnly === true,
    filled: draft.filled === true,
    // What refers to a row must be found when that row goes.
    indexed: indexed === true || (references !== undefined && collection.key[0] !== name),
    rules: rulesOf(type, draft),
    maxBytes: maxBytesOf(type, draft, maxValueBytes),
  };
}

function defaultOf(type: Type, value: unknown): Pick<Field, 'default' | 'generated'> {
  if (value === undefined || value === null) return {};
  if ((value === 'now' || value === 'uuid') && type.generated?.[value] !== undefined) return { generated: value };
  return { default: storeJson(type, value) };
}

function rulesOf(type: Type, { minimum, maximum, maxLength, pattern, oneOf }: FieldDraft): Rules {
  return {
    ...(minimum === undefined ? {} : { minimum: storeJson(type, minimum) }),
    ...(maximum === undefined ? {} : { maximum: storeJson(type, maximum) }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map((value) => storeJson(type, value)) }),
  };
}

export function fieldNamed(collection: Collection, name: string): Field | undefined {
  return collection.byName.get(name);
}

export function isKey({ key }: Collection, field: Field): boolean {
  return key.some((each) => each.name === field.name);
}

/** The references of other collections, and its own, to this one. */
export function referencesTo({ collections }: Catalogue, { name }: Collection): (Reference & { from: Collection })[] {
  return [...collections.values()].flatMap((from) =>
    from.references.filter((reference) => reference.to === name).map((reference) => ({ ...reference, from })),
  );
}
