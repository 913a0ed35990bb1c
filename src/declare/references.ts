/** What collections have to do with each other: references, and names that would meet in the database. */

import type { Catalogue, Collection, Field } from '../collection/declaration.ts';
import type { CollectionDraft } from '../collection/draft.ts';
import { MAX_NAME_LENGTH } from '../limits.ts';
import { perhaps } from '../nearest-name.ts';
import type { GivenCollection, GivenField } from './format.ts';
import type { Named } from './maps.ts';
import { say } from './shape.ts';

type Declared = readonly Named<GivenCollection>[];

/** A reference names a collection, and holds what identifies a row there. */
export function checkReferences(declared: Declared, drafts: readonly CollectionDraft[]): void {
  const names = declared.map(({ name }) => name);
  for (const field of declared.flatMap(({ value }) => value?.fields?.value ?? [])) {
    const collection = field.value?.references?.value.collection;
    if (collection === undefined) continue;
    if (!names.includes(collection.value)) {
      say(field.reading, collection.at, `unknown collection ${collection.value}${perhaps(collection.value, names)}`);
      continue;
    }
    const problem = mismatch(
      field,
      drafts.find(({ name }) => name === collection.value),
    );
    if (problem !== undefined) say(field.reading, collection.at, problem);
  }
}

/** Nothing is said of a collection whose own mistakes hide its key. */
function mismatch({ value }: Named<GivenField>, target: CollectionDraft | undefined): string | undefined {
  if (target === undefined) return undefined;
  const { name, key, fields } = target;
  if (key.length > 1) return `the key of ${name} is ${key.join(' and ')}, and a reference holds one field`;
  const held = fields.find((field) => field.name === key[0])?.type;
  const type = value?.type?.value.name;
  if (held === undefined || type === undefined || held === type) return undefined;
  return `it is ${type}, and the key of ${name} is ${held}: make it ${held}`;
}

/** What something that comes of a declaration is called in the database. */
interface Derived {
  readonly name: string;
  readonly words: string;
}

/**
 * Tables, indexes and unique constraints share one set of names in PostgreSQL, and tables and indexes in SQLite. Names longer
 * than PostgreSQL's would be cut there.
 */
export function checkDerivedNames(declared: Declared, { collections }: Catalogue): void {
  const taken = new Map(declared.map(({ name }) => [name, `the collection ${name}`]));
  for (const { name: owner, reading } of declared) {
    const collection = collections.get(owner)!;
    for (const { name, words } of [...relationsOf(collection), ...rulesOf(collection)]) {
      const other = taken.get(name);
      if (name.length > MAX_NAME_LENGTH) {
        const most = `a name has ${MAX_NAME_LENGTH} letters at most; choose shorter ones`;
        say(reading, reading.at, `${words} would be called ${name}, and ${most}`);
      } else if (other !== undefined) say(reading, reading.at, `${words} would be called ${name}, as ${other} is`);
      else taken.set(name, words);
    }
  }
}

function relationsOf({ name, key, unique, fields }: Collection): Derived[] {
  const list = (group: readonly Field[]) => group.map((field) => field.name).join(', ');
  return [
    { name: `${name}_pkey`, words: `the key ${list(key)} of ${name}` },
    ...unique.map((each) => ({ name: each.name, words: `the unique ${list(each.fields)} of ${name}` })),
    ...fields
      .filter((field) => field.indexed)
      .map((field) => ({ name: `${name}_${field.name}`, words: `the index of ${name}.${field.name}` })),
  ];
}

function rulesOf({ name, references, fields }: Collection): Derived[] {
  return [
    ...references.map((each) => ({ name: each.name, words: `the reference ${name}.${each.field.name}` })),
    ...fields
      .filter(({ rules }) => Object.keys(rules).length > 0)
      .map((field) => ({ name: `${name}_${field.name}_check`, words: `the rule of ${name}.${field.name}` })),
  ];
}
