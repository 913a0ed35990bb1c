/** Validates names of collections and fields: any identifier of PostgreSQL, unless the service needs it. */
import { MAX_NAME_BYTES } from '../base/limits/declaration.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { about, type Sentence, say } from '../base/sentence.ts';
import { type At, addMistake, checkedText, type Reading, type Shape } from './reader/shape.ts';

/** Names that the generated SQL uses begin with a space. */
const NAME = '^[^ ]';

/** Reserved names with their use. A test compares them with the paths of the service. */
export const RESERVED_COLLECTIONS: Readonly<Record<string, Sentence>> = {
  auth: say`a path of the service`,
  catalogue: say`a path of the service`,
  console: say`a page of the service`,
  excluded: say`the name of the new rows in an SQL upsert`,
  idempotency_keys: say`a table of the service`,
};

export const RESERVED_PREFIXES: Readonly<Record<string, Sentence>> = {
  catalogue_: say`tables of the service`,
  pg_: say`PostgreSQL's own tables`,
};

/** The tables of the index of a declared search (`wordTables`), which a migration may drop. */
const SEARCH_TABLE = /^_.*_search_(documents|words|recent|stale)$/s;

/** Columns that every table has. */
const SYSTEM_COLUMNS = ['cmax', 'cmin', 'ctid', 'tableoid', 'xmax', 'xmin'];

export const RESERVED_FIELDS: Readonly<Record<string, Sentence>> = {
  ...Object.fromEntries(SYSTEM_COLUMNS.map((name) => [name, say`a column that tables have by themselves`])),
  ['__proto__']: say`a property that JSON objects in JavaScript have by themselves`,
};

function nameShape(pattern: string, problemOf: (name: string) => Sentence | undefined): Shape<string> {
  const withName = (problem: Sentence | undefined, name: string) => problem && about(name, problem);
  return {
    ...checkedText(say`a name`, (name) => withName(problemOf(name), name)),
    schema: () => ({ type: 'string', pattern, maxLength: MAX_NAME_BYTES }),
  };
}

export const anyName = nameShape(NAME, formProblem);

function formProblem(name: string): Sentence | undefined {
  if (name === '' || name.startsWith(' ')) return say`a name has a first letter that is not a space`;
  if (name.includes('\0') || !name.isWellFormed()) return say`a name consists of Unicode characters other than U+0000`;
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? say`a name has ${MAX_NAME_BYTES} bytes at most` : undefined;
}

function reservedCollection(name: string): Sentence | undefined {
  const prefix = Object.keys(RESERVED_PREFIXES).find((each) => name.startsWith(each));
  if (prefix !== undefined) return say`names with ${prefix} are reserved for ${RESERVED_PREFIXES[prefix]!}`;
  if (SEARCH_TABLE.test(name)) return say`${name} is a name of search indexes`;
  return Object.hasOwn(RESERVED_COLLECTIONS, name) ? say`${name} is ${RESERVED_COLLECTIONS[name]!}` : undefined;
}

function reservedField(name: string): Sentence | undefined {
  return Object.hasOwn(RESERVED_FIELDS, name) ? say`${name} is ${RESERVED_FIELDS[name]!}` : undefined;
}

/** Role names as in tokens and keys: also upper case and hyphens. */
const ROLE_NAME = '^[A-Za-z][A-Za-z0-9_-]*$';

export const roleName = nameShape(ROLE_NAME, (name) =>
  new RegExp(ROLE_NAME).test(name) && name.length <= MAX_NAME_BYTES
    ? undefined
    : say`names of roles are letters, digits, _ and -, begin with a letter, and have ${MAX_NAME_BYTES} at most`,
);

export const collectionName = unreserved(reservedCollection);
export const fieldName = unreserved(reservedField);

/** Why a name cannot be declared; undefined if it can. */
export function nameProblem(kind: 'collection' | 'field', name: string): Sentence | undefined {
  return formProblem(name) ?? (kind === 'collection' ? reservedCollection(name) : reservedField(name));
}

function unreserved(taken: (name: string) => Sentence | undefined): Shape<string> {
  const problemOf = (reason: Sentence | undefined) => reason && say`${reason}; choose another name`;
  return checkedText(anyName.words, (name) => problemOf(taken(name)), anyName);
}

/** The listed names that exist. The others are mistakes, and so is a repeated one unless names may be repeated. */
export function knownNames(
  listed: readonly At<string>[],
  names: readonly string[],
  { what, noun, mayRepeat = false }: { readonly what: string; readonly noun: Sentence; readonly mayRepeat?: boolean },
  reading: Reading,
): readonly At<string>[] {
  return listed.filter(({ value: name, at }, index) => {
    const isRepeated = !mayRepeat && listed.findIndex((each) => each.value === name) < index;
    const isUnknown = !names.includes(name);
    if (isUnknown) {
      const suggestion = didYouMean(name, names);
      addMistake(reading, at, say`${what} names ${name}, which is not a ${noun}${suggestion}`);
    } else if (isRepeated) addMistake(reading, at, say`${what} names ${name} twice`);
    return !isUnknown && !isRepeated;
  });
}
