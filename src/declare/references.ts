/** Validates references between collections, and derived names that would collide in the database. */

import { didYouMean } from '../base/nearest-name.ts';
import type { Catalogue, Collection, Field } from '../collection/declaration.ts';
import { derivedName } from '../collection/derived-name.ts';
import type { CollectionDraft, LinkDraft } from '../collection/draft.ts';
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
      addMistake(
        field.reading,
        collection.at,
        `unknown collection ${collection.value}${didYouMean(collection.value, names)}`,
      );
      continue;
    }
    const problem = mismatch(
      field,
      drafts.find(({ name }) => name === collection.value),
    );
    if (problem !== undefined) addMistake(field.reading, collection.at, problem);
  }
}

/** A link joins one field with one field of another collection. Returns the drafts with the key as default. */
export function checkLinks(declared: Declared, drafts: readonly CollectionDraft[]): CollectionDraft[] {
  return drafts.map((draft) => {
    if (draft.references === undefined) return draft;
    const { reading, value } = declared.find(({ name }) => name === draft.name)!;
    const references = draft.references.map((link, index) => {
      const target = drafts.find(({ name }) => name === link.collection);
      const resolved = { ...link, to: link.to.length === 0 ? (target?.key ?? []) : link.to };
      const problem = linkProblem(draft, resolved, target, drafts);
      if (problem !== undefined) addMistake(reading, value!.references!.value[index]!.at, `references: ${problem}`);
      return resolved;
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
      addMistake(reading, to.at, `unknown collection ${to.value}${didYouMean(to.value, names)}`);
    }
  }
}

function linkProblem(
  { fields }: CollectionDraft,
  link: LinkDraft,
  target: CollectionDraft | undefined,
  drafts: readonly CollectionDraft[],
): string | undefined {
  if (target === undefined) {
    const names = drafts.map(({ name }) => name);
    return `unknown collection ${link.collection}${didYouMean(link.collection, names)}`;
  }
  if (link.fields.length !== 1 || link.to.length !== 1) return 'fields and to name one field each';
  const has = (all: CollectionDraft['fields'], name: string) => all.some((field) => field.name === name);
  if (!has(fields, link.fields[0]!)) return `unknown field ${link.fields[0]}`;
  return has(target.fields, link.to[0]!) ? undefined : `unknown field ${link.to[0]} of ${target.name}`;
}

/** A collection with mistakes of its own is not judged. */
function mismatch({ value }: Named<GivenField>, target: CollectionDraft | undefined): string | undefined {
  if (target === undefined) return undefined;
  const { name, key, fields } = target;
  if (key.length === 0) return `${name} has no key, and a reference holds a key`;
  if (key.length > 1) return `the key of ${name} is ${key.join(' and ')}, and a reference holds one field`;
  const held = fields.find((field) => field.name === key[0])?.type;
  const type = value?.type?.value;
  if (held === undefined || type === undefined || holdsKeys(type, typeNamed(held)!)) return undefined;
  return `it is ${type.name}, and the key of ${name} is ${held}: make it ${held}`;
}

/** A table, index or constraint that the database gets for a declaration. */
interface Derived {
  readonly name: string;
  readonly words: string;
  /** The namespaces that its name must be unique in. */
  readonly within: readonly string[];
}

const SCHEMA = '';

/**
 * Tables, indexes and unique constraints share the namespace of the schema, and constraints that of their table. So a
 * reference may have the name of a table, or of a reference of another table.
 */
export function checkDerivedNames(declared: Declared, { collections }: Catalogue): void {
  const used = new Map(declared.map(({ name }) => [`${SCHEMA} ${name}`, `the collection ${name}`]));
  for (const { name: owner, reading } of declared) {
    for (const { name, words, within } of derivedFrom(collections.get(owner)!)) {
      const other = within.map((namespace) => used.get(`${namespace} ${name}`)).find((each) => each !== undefined);
      if (other !== undefined) addMistake(reading, reading.at, `${words} would be called ${name}, as ${other} is`);
      else for (const namespace of within) used.set(`${namespace} ${name}`, words);
    }
  }
}

function derivedFrom({ name: of, key, unique, references, fields }: Collection): Derived[] {
  const list = (group: readonly Field[]) => group.map((field) => field.name).join(', ');
  const both = [SCHEMA, of];
  const rules = fields.filter((field) => Object.keys(field.rules).length > 0);
  const indexed = fields.filter((field) => field.indexed);
  return [
    ...(key.length === 0
      ? []
      : [{ name: derivedName(of, 'pkey'), words: `the key ${list(key)} of ${of}`, within: both }]),
    ...unique.map((each) => ({ name: each.name, words: `the unique ${list(each.fields)} of ${of}`, within: both })),
    ...indexed.map(({ name }) => ({
      name: derivedName(of, name),
      words: `the index of ${of}.${name}`,
      within: [SCHEMA],
    })),
    ...references.map(({ name, field }) => ({ name, words: `the reference ${of}.${field.name}`, within: [of] })),
    ...rules.map(({ name }) => ({
      name: derivedName(of, name, 'check'),
      words: `the rule of ${of}.${name}`,
      within: [of],
    })),
  ];
}
