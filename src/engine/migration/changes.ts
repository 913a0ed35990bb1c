/**
 * Compares the declaration with a database, for both engines, and returns the changes as data. Pure: an engine
 * inspects, asks its rows for risks (risks.ts), and executes the changes.
 */
import {
  allReferences,
  type Catalogue,
  type Collection,
  type Composite,
  type Field,
  fieldsOf,
  type Reference,
  type Unique,
} from '../../collection/declaration.ts';
import { derivedName } from '../../collection/derived-name.ts';

/** The content of a database in terms of a declaration. */
export interface StoredSchema {
  /** The last declaration without missing tables and fields; a field is required if its column is. */
  readonly catalogue: Catalogue;
  /** The existing indexes and constraints, each as `table.name`: tables may have constraints of the same name. */
  readonly names: ReadonlySet<string>;
}

/** Marks keys as assigned that the database numbers although they are references, as earlier versions did. */
export function withNumberedKeys(catalogue: Catalogue, isNumbered: (table: string, key: Field) => boolean): Catalogue {
  const numbered = (collection: Collection): Collection => {
    const { name, key, references } = collection;
    const [field] = key;
    const isReference = key.length === 1 && references.some((each) => each.field === field);
    return isReference && isNumbered(name, field!) ? { ...collection, assigned: field } : collection;
  };
  const collections = [...catalogue.collections].map(([name, each]) => [name, numbered(each)] as const);
  return { ...catalogue, collections: new Map(collections) };
}

export interface Index {
  readonly name: string;
  readonly fields: readonly Field[];
  /** Whether it is on one value, the first of the fields that is not null: a translation or the field itself. */
  readonly isFirstValue?: true;
}

export interface SchemaRequirement {
  readonly catalogue: Catalogue;
  /** Collections whose tables we create and change; the others are adopted. */
  readonly own: readonly Collection[];
  /** The indexes of a collection besides those of the key and unique fields. */
  readonly indexesOf: (collection: Collection) => readonly Index[];
}

/** `collection` and `field` are the declared ones, or the stored ones if dropped; `before` is the previous state. */
export type Change =
  | Of<'create-collection' | 'drop-collection'>
  | Of<'rename-collection' | 'change-key', { readonly before: Collection }>
  | Of<'add-field' | 'drop-field' | 'require' | 'allow-null', { readonly field: Field }>
  | Of<'rename-field' | 'change-type' | 'change-default' | 'change-rules', { field: Field; before: Field }>
  | Of<'add-unique' | 'drop-unique', { readonly unique: Unique }>
  | Of<'add-reference' | 'drop-reference', { readonly reference: Reference | Composite }>
  | Of<'add-index' | 'drop-index', { readonly index: Index }>;

type Of<Kind, Parts = unknown> = { readonly kind: Kind; readonly collection: Collection } & Parts;

export type ChangeKind = Change['kind'];
export type ChangeOf<K extends ChangeKind> = Change & { readonly kind: K };

/** A declared collection beside its stored state. */
export interface CollectionPair {
  readonly now: Collection;
  readonly before: Collection | undefined;
  /** The previous state of a declared field; undefined if it is new. */
  readonly origin: (field: Field) => Field | undefined;
}

export interface Comparison {
  readonly requirement: SchemaRequirement;
  /** By collection name. */
  readonly pairs: ReadonlyMap<string, CollectionPair>;
  readonly changes: readonly Change[];
}

export function compare(requirement: SchemaRequirement, found: StoredSchema): Comparison {
  const pairs = new Map(requirement.own.map((now) => [now.name, pairOf(requirement, now, found)]));
  const met = new Set([...pairs.values()].map(({ before }) => before));
  const droppedCollections = [...found.catalogue.collections.values()].filter((collection) => !met.has(collection));
  const changes: Change[] = [
    ...droppedCollections.map((collection) => ({ kind: 'drop-collection', collection }) as const),
    ...[...pairs.values()].flatMap((pair) => [
      ...changesOf(pair),
      ...constraintChanges({ requirement, pairs }, found, pair),
    ]),
  ];
  return { requirement, pairs, changes };
}

/** Changes that a process with another declaration cannot serve without. It can ignore the others. */
export function blockingChanges(comparison: Comparison): Comparison {
  const isBlocking = /^(create-|rename-|add-field|change-type|change-key)/;
  return { ...comparison, changes: comparison.changes.filter(({ kind }) => isBlocking.test(kind)) };
}

export function ofKind<K extends ChangeKind>(changes: readonly Change[], ...kinds: readonly K[]): ChangeOf<K>[] {
  return changes.filter((change) => (kinds as readonly ChangeKind[]).includes(change.kind)) as ChangeOf<K>[];
}

/** `was` means a rename if the old name exists and nothing else is declared with it. */
function pairOf({ catalogue }: SchemaRequirement, now: Collection, found: StoredSchema): CollectionPair {
  const { collections } = found.catalogue;
  const { was } = now.draft;
  const isRenamed = was !== undefined && !catalogue.collections.has(was);
  const before = collections.get(now.name) ?? (isRenamed ? collections.get(was) : undefined);
  const origins = new Map(now.fields.map((field) => [field.name, before && originOf(now, field, before)]));
  return { now, before, origin: ({ name }) => origins.get(name) };
}

function originOf(now: Collection, field: Field, before: Collection): Field | undefined {
  const was = now.draft.fields.find((each) => each.name === field.name)?.was;
  const isRenamed = was !== undefined && !now.byName.has(was);
  const origin = before.byName.get(field.name) ?? (isRenamed ? before.byName.get(was) : undefined);
  return field.computed === undefined || (origin !== undefined && isComputedAlike(now, field, before, origin))
    ? origin
    : undefined;
}

/** Whether the column stays: with another expression, or from another column, a computed field is another field. */
function isComputedAlike(now: Collection, field: Field, before: Collection, origin: Field): boolean {
  const isSame = (name: string) => now.byName.get(name)?.type === before.byName.get(name)?.type;
  return (
    field.computed!.text === origin.computed?.text && field.type === origin.type && field.computed!.uses.every(isSame)
  );
}

/** Changes of a table without its named constraints. */
function changesOf(pair: CollectionPair): Change[] {
  const { now: collection, before } = pair;
  if (before === undefined) return [{ kind: 'create-collection', collection }];
  const met = collection.fields.map(pair.origin);
  const dropped = before.fields.filter((field) => !met.includes(field));
  return [
    ...(before.name === collection.name ? [] : [{ kind: 'rename-collection', collection, before } as const]),
    ...dropped.map((field) => ({ kind: 'drop-field', collection, field }) as const),
    ...collection.fields.flatMap((field) => fieldChanges(pair, before, field)),
    ...(hasOtherKey(pair) ? [{ kind: 'change-key', collection, before } as const] : []),
  ];
}

/** Named constraints, recreated if their name or parts differ. */
function constraintChanges(
  { requirement: { indexesOf }, pairs }: Omit<Comparison, 'changes'>,
  found: StoredSchema,
  pair: CollectionPair,
): Change[] {
  const { now: collection, before } = pair;
  const isThere = ({ name }: { name: string }) => found.names.has(`${before?.name}.${name}`);
  const was = (fields: readonly Field[]) => fields.map((field) => pair.origin(field)?.name).join();
  const same = (one: Index, other: Index) =>
    one.name === other.name && was(one.fields) === other.fields.map(({ name }) => name).join();
  const unique = difference(collection.unique, before?.unique.filter(isThere), same);
  const indexes = difference(indexesOf(collection), before && indexesOf(before).filter(isThere), same);
  const references = difference(
    allReferences(collection),
    before && allReferences(before).filter(isThere),
    (now, then) => isSameReference(pairs, pair, now, then),
  );
  return [
    ...references.gone.map((reference) => ({ kind: 'drop-reference', collection, reference }) as const),
    ...unique.gone.map((each) => ({ kind: 'drop-unique', collection, unique: each }) as const),
    ...indexes.gone.map((index) => ({ kind: 'drop-index', collection, index }) as const),
    ...unique.added.map((each) => ({ kind: 'add-unique', collection, unique: each }) as const),
    ...indexes.added.map((index) => ({ kind: 'add-index', collection, index }) as const),
    ...references.added.map((reference) => ({ kind: 'add-reference', collection, reference }) as const),
  ];
}

/** A reference depends on its fields and the referenced key: a change of either recreates it. */
function isSameReference(
  pairs: Comparison['pairs'],
  { origin }: CollectionPair,
  now: Reference | Composite,
  before: Reference | Composite,
): boolean {
  const { name, to, onDelete } = now;
  const target = pairs.get(to);
  const isSameTarget =
    target === undefined ? to === before.to : target.before?.name === before.to && !isRekeyed(target);
  const [fields, fieldsBefore] = [fieldsOf(now), fieldsOf(before)];
  const isSameField = (field: Field, at: number) =>
    origin(field)?.name === fieldsBefore[at]?.name && origin(field)?.type === field.type;
  const areSameFields = fields.length === fieldsBefore.length && fields.every(isSameField);
  return isSameTarget && areSameFields && name === before.name && onDelete === before.onDelete;
}

function difference<T>(now: readonly T[], before: readonly T[] = [], same: (now: T, before: T) => boolean) {
  return {
    gone: before.filter((old) => !now.some((each) => same(each, old))),
    added: now.filter((each) => !before.some((old) => same(each, old))),
  };
}

function fieldChanges(pair: CollectionPair, collectionBefore: Collection, field: Field): Change[] {
  const { now: collection } = pair;
  const before = pair.origin(field);
  if (before === undefined) return [{ kind: 'add-field', collection, field }];
  const of = { collection, field, before };
  const isRenamed = before.name !== field.name || collectionBefore.name !== collection.name;
  const hasRules = Object.keys(field.rules).length > 0;
  const isOfOtherType = before.type !== field.type || before.computed?.text !== field.computed?.text;
  const hasOtherDefault = text([before.default, before.generated]) !== text([field.default, field.generated]);
  // The constraint's name contains the field's name.
  const hasOtherRules = text(before.rules) !== text(field.rules) || (isRenamed && hasRules);
  return [
    ...(before.name === field.name ? [] : [{ kind: 'rename-field', ...of } as const]),
    ...(isOfOtherType ? [{ kind: 'change-type', ...of } as const] : []),
    ...(before.required || !field.required ? [] : [{ kind: 'require', collection, field } as const]),
    ...(!before.required || field.required ? [] : [{ kind: 'allow-null', collection, field } as const]),
    ...(hasOtherDefault ? [{ kind: 'change-default', ...of } as const] : []),
    ...(hasOtherRules ? [{ kind: 'change-rules', ...of } as const] : []),
  ];
}

/** Whether the key has other fields, or only one of the two keys is assigned. */
function hasOtherKey({ now, before, origin }: CollectionPair): boolean {
  if (before === undefined) return false;
  const isSame = now.key.length === before.key.length && now.key.every((field, at) => origin(field) === before.key[at]);
  return !isSame || (now.assigned === undefined) !== (before.assigned === undefined);
}

function isRekeyed(pair: CollectionPair): boolean {
  return hasOtherKey(pair) || pair.now.key.some((field) => pair.origin(field)?.type !== field.type);
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each));
}

/** Indexes of references of several fields, unless the key begins with them: deleting a row looks up its referrers. */
export function compositeIndexes({ name, key, composites }: Collection): Index[] {
  return composites
    .filter(({ fields }) => fields.some((field, at) => key[at] !== field))
    .map(({ fields }) => ({ name: derivedName(name, ...fields.map((field) => field.name), 'idx'), fields }));
}

/** Indexes of the translations of indexed fields, with the text of the field where there is none. */
export function translationIndexes(collection: Collection): Index[] {
  return collection.fields.flatMap((field) =>
    [...(field.indexed ? (field.translations?.values() ?? []) : [])].map((translation) => ({
      name: translationIndexName(collection, translation),
      fields: [translation, field],
      isFirstValue: true as const,
    })),
  );
}

export function translationIndexName({ name }: Collection, translation: Field): string {
  return derivedName(name, translation.name, 'or', 'default');
}
