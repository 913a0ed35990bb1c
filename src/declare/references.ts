/** Validates references between collections, and derived names that would collide in the database. */

import { didYouMean, unknownName } from '../base/nearest-name.ts';
import { about, type Sentence, say, type Wording } from '../base/sentence.ts';
import type { Catalogue, Collection, Field } from '../collection/declaration.ts';
import { copiedBy } from '../collection/declare-collection.ts';
import { derivedName } from '../collection/derived-name.ts';
import type { CollectionDraft, FieldDraft, LinkDraft } from '../collection/draft.ts';
import { holdsKeys, typeNamed } from '../collection/types/index.ts';
import type { GivenCollection, GivenField } from './format.ts';
import type { Named } from './reader/maps.ts';
import { addMistake } from './reader/shape.ts';

type Declared = readonly Named<GivenCollection>[];

/** A reference must name a collection and have the type of its key. */
export function checkReferences(declared: Declared, drafts: readonly CollectionDraft[]): void {
  const names = declared.map(({ name }) => name);
  for (const field of declared.flatMap(({ value }) => value?.fields?.value ?? [])) {
    const collection = field.value?.references?.value.collection;
    if (collection === undefined) continue;
    if (!names.includes(collection.value)) {
      addMistake(field.reading, collection.at, unknownName(say`collection`, collection.value, names));
      continue;
    }
    const target = drafts.find(({ name }) => name === collection.value);
    const problem = target && mismatch(field, target);
    if (problem !== undefined) addMistake(field.reading, collection.at, problem);
  }
}

/** A default that copies a value of a referenced row must name a field of the same type. */
export function checkCopies(declared: Declared, drafts: readonly CollectionDraft[]): void {
  for (const draft of drafts) {
    for (const field of draft.fields) {
      const copies = copiedBy(draft, field.default);
      const target = drafts.find(({ name }) => name === find(draft, copies?.by ?? '')?.references?.collection);
      if (copies === undefined || target === undefined) continue;
      const of = find(target, copies.field);
      const names = target.fields.map(({ name }) => name);
      const problem =
        of === undefined
          ? say`unknown field ${copies.field} of ${target.name}${didYouMean(copies.field, names)}`
          : say`${field.name} is ${field.type}, and ${`${target.name}.${of.name}`} is ${of.type}: make it ${of.type}`;
      if (of?.type === field.type) continue;
      const given = declared.find(({ name }) => name === draft.name)!.value!.fields!.value;
      const { reading, value } = given.find(({ name }) => name === field.name)!;
      addMistake(reading, value!.default!.at, about('default', problem));
    }
  }
}

/**
 * Resolves the references of collections: the default target is the key. Several fields that hold the key of another
 * collection are a reference that the database enforces.
 */
export function checkLinks(declared: Declared, drafts: readonly CollectionDraft[]): CollectionDraft[] {
  return drafts.map((draft) => {
    if (draft.references === undefined) return draft;
    const { reading, value } = declared.find(({ name }) => name === draft.name)!;
    const references = draft.references.map((link, index) => {
      const target = drafts.find(({ name }) => name === link.collection);
      const resolved = { ...link, to: link.to.length === 0 ? (target?.key ?? []) : link.to };
      // A table that exists may compare fields of different types: such a link names its targets.
      const mayDiffer = link.to.length > 0 && link.onDelete === undefined;
      const problem = linkProblem(draft, resolved, target, drafts, mayDiffer);
      if (problem !== undefined) addMistake(reading, value!.references!.value[index]!.at, about('references', problem));
      const isLink = problem !== undefined || (mayDiffer && otherType(draft, resolved, target!) !== -1);
      return isLink ? resolved : asReference(draft, resolved, target!);
    });
    return { ...draft, references };
  });
}

/** The collections that functions of a row return must exist. */
export function checkComputed(declared: Declared): void {
  const names = declared.map(({ name }) => name);
  for (const { value } of declared) {
    for (const { reading, value: computed } of value?.computed?.value ?? []) {
      const to = computed?.collection;
      if (to === undefined || names.includes(to.value)) continue;
      addMistake(reading, to.at, unknownName(say`collection`, to.value, names));
    }
  }
}

/** A link of several fields to a key, with its fields in the order of the key and the effect of a delete. */
function asReference(draft: CollectionDraft, link: LinkDraft, { key }: CollectionDraft): LinkDraft {
  if (!holdsKey(draft, link, key)) return link;
  const fields = key.map((name) => link.fields[link.to.indexOf(name)]!);
  return { ...link, fields, to: key, onDelete: link.onDelete ?? 'restrict' };
}

function holdsKey({ key: own }: CollectionDraft, { fields, to }: LinkDraft, key: readonly string[]): boolean {
  const isKey = key.length > 1 && to.length === key.length && key.every((name) => to.includes(name));
  return isKey && fields.length === key.length && own.length > 0;
}

function linkProblem(
  draft: CollectionDraft,
  link: LinkDraft,
  target: CollectionDraft | undefined,
  drafts: readonly CollectionDraft[],
  mayDiffer: boolean,
): Sentence | undefined {
  const { fields, to, onDelete } = link;
  if (target === undefined) {
    return unknownName(
      say`collection`,
      link.collection,
      drafts.map(({ name }) => name),
    );
  }
  const unknown = fields.find((name) => find(draft, name) === undefined);
  if (unknown !== undefined) return say`unknown field ${unknown}`;
  const unknownTarget = to.find((name) => find(target, name) === undefined);
  if (unknownTarget !== undefined) return say`unknown field ${unknownTarget} of ${target.name}`;
  if (fields.length === 0 || fields.length !== to.length)
    return say`fields (${fields.join(', ')}) and to (${to.join(', ')}) must have the same number of names`;
  if (!holdsKey(draft, link, target.key)) {
    return onDelete === undefined
      ? undefined
      : say`onDelete is only for several fields that hold the key of ${target.name}`;
  }
  if (onDelete === 'set null' && fields.some((name) => find(draft, name)!.required || draft.key.includes(name)))
    return about('onDelete', say`set null is not for a required field, nor for a key`);
  const other = otherType(draft, link, target);
  if (other === -1 || mayDiffer) return undefined;
  const held = find(target, to[other]!)!.type;
  return say`${fields[other]!} is ${find(draft, fields[other]!)!.type}, and ${`${target.name}.${to[other]}`} is ${held}: make it ${held}`;
}

function find({ fields }: CollectionDraft, name: string): FieldDraft | undefined {
  return fields.find((field) => field.name === name);
}

/** The index of the first field that cannot hold the values of its target; -1 if there is none. */
function otherType(draft: CollectionDraft, { fields, to }: LinkDraft, target: CollectionDraft): number {
  return fields.findIndex((name, at) => {
    const [type, held] = [typeNamed(find(draft, name)!.type), typeNamed(find(target, to[at]!)!.type)];
    return type !== undefined && held !== undefined && !holdsKeys(type, held);
  });
}

/** A collection with mistakes of its own is not judged. */
function mismatch({ value }: Named<GivenField>, { name, key, fields }: CollectionDraft): Sentence | undefined {
  if (key.length === 0) return say`${name} has no key, and a reference holds a key`;
  if (key.length > 1)
    return say`the key of ${name} is ${key.slice(1).reduce<Wording>((list, each) => say`${list} and ${each}`, key[0]!)}: declare references: [{ fields: [...], collection: ${name} }] at the collection`;
  const held = fields.find((field) => field.name === key[0])?.type;
  const type = value?.type?.value;
  if (held === undefined || type === undefined || holdsKeys(type, typeNamed(held)!)) return undefined;
  return say`it is ${type.name}, and the key of ${name} is ${held}: make it ${held}`;
}

/** A table, index or constraint that the database gets for a declaration. */
interface Derived {
  readonly name: string;
  readonly words: Sentence;
  /** The namespaces that its name must be unique in. */
  readonly within: readonly string[];
}

const SCHEMA = '';

/**
 * Tables, indexes and unique constraints share the namespace of the schema, and constraints that of their table. So a
 * reference may have the name of a table, or of a reference of another table.
 */
export function checkDerivedNames(declared: Declared, { collections }: Catalogue): void {
  const used = new Map<string, Sentence>(
    declared.map(({ name }) => [`${SCHEMA} ${name}`, say`the collection ${name}`]),
  );
  for (const { name: owner, reading } of declared) {
    for (const { name, words, within } of derivedFrom(collections.get(owner)!)) {
      const other = within.map((namespace) => used.get(`${namespace} ${name}`)).find((each) => each !== undefined);
      if (other !== undefined) addMistake(reading, reading.at, say`${words} would be called ${name}, as ${other} is`);
      else for (const namespace of within) used.set(`${namespace} ${name}`, words);
    }
  }
}

function derivedFrom({ name: of, key, unique, references, composites, fields }: Collection): Derived[] {
  const list = (group: readonly Field[]) => group.map((field) => field.name).join(', ');
  const derived = (words: Sentence, within: readonly string[]) => (name: string) => ({ name, words, within });
  const inBoth = (words: Sentence) => derived(words, [SCHEMA, of]);
  const inTable = (words: Sentence) => derived(words, [of]);
  const rules = fields.filter((field) => Object.keys(field.rules).length > 0);
  const indexed = fields.filter((field) => field.indexed);
  return [
    ...(key.length === 0 ? [] : [inBoth(say`the key ${list(key)} of ${of}`)(derivedName(of, 'pkey'))]),
    ...unique.map((each) => inBoth(say`the unique ${list(each.fields)} of ${of}`)(each.name)),
    ...indexed.map(({ name }) => derived(say`the index of ${`${of}.${name}`}`, [SCHEMA])(derivedName(of, name))),
    ...references.map(({ name, field }) => inTable(say`the reference ${`${of}.${field.name}`}`)(name)),
    ...composites.map((each) => inTable(say`the reference ${list(each.fields)} of ${of}`)(each.name)),
    ...rules.map(({ name }) => inTable(say`the rule of ${`${of}.${name}`}`)(derivedName(of, name, 'check'))),
  ];
}
