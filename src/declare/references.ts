/** What collections have to do with each other: references, and names that would meet in the database. */

import { derivedName } from '../collection/derived-name.ts';
import type { CollectionDraft, FieldDraft } from '../collection/draft.ts';
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
      say(
        field.reading,
        collection.at,
        `there is no collection ${collection.value}${perhaps(collection.value, names)}`,
      );
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

/** Where something that comes of a declaration is called so. */
interface Derived {
  readonly name: string;
  readonly words: string;
}

/**
 * Tables, indexes and unique constraints share one set of names in PostgreSQL, and tables and indexes in SQLite; other
 * constraints share one in each table. Names that were cut may meet, too.
 */
export function checkDerivedNames(declared: Declared, drafts: readonly CollectionDraft[]): void {
  const relations = new Map(declared.map(({ name }) => [name, `the collection ${name}`]));
  for (const draft of drafts) {
    const { reading } = declared.find(({ name }) => name === draft.name)!;
    const checkAll = (derived: readonly Derived[], taken: Map<string, string>) => {
      for (const { name, words } of derived) {
        const other = taken.get(name);
        if (other !== undefined) say(reading, reading.at, `${words} would be called ${name}, as ${other} is`);
        else taken.set(name, words);
      }
    };
    checkAll(relationsOf(draft), relations);
    checkAll(constraintsOf(draft), new Map());
  }
}

function relationsOf({ name, key, fields, unique = [] }: CollectionDraft): Derived[] {
  const uniques = [...fields.filter((field) => field.unique === true).map((field) => [field.name]), ...unique];
  const indexed = fields.filter((field) => field.indexed === true);
  return [
    { name: derivedName(name, [], 'pkey'), words: `the key ${key.join(', ')} of ${name}` },
    ...uniques.map((group) => ({
      name: derivedName(name, group, 'key'),
      words: `the unique ${group.join(', ')} of ${name}`,
    })),
    ...indexed.map((field) => ({
      name: derivedName(name, [field.name], 'index'),
      words: `the index of ${name}.${field.name}`,
    })),
  ];
}

function constraintsOf({ name, fields }: CollectionDraft): Derived[] {
  return fields.flatMap((field) => [
    ...(field.references === undefined
      ? []
      : [{ name: derivedName(name, [field.name], 'fkey'), words: `the reference ${name}.${field.name}` }]),
    ...(hasRule(field)
      ? [{ name: derivedName(name, [field.name], 'check'), words: `the rule of ${name}.${field.name}` }]
      : []),
  ]);
}

function hasRule({ minimum, maximum, maxLength, pattern, oneOf }: FieldDraft): boolean {
  return [minimum, maximum, maxLength, pattern, oneOf].some((rule) => rule !== undefined);
}
