/** Validates names of collections and fields: any identifier of PostgreSQL, unless the service needs it. */
import { MAX_NAME_BYTES } from '../base/limits/declaration.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { type At, addMistake, checkedText, type Reading, type Shape } from './reader/shape.ts';

/** Names that the generated SQL uses begin with a space. */
const NAME = '^[^ ]';

/** Reserved names with their use. A test compares them with the paths of the service. */
export const RESERVED_COLLECTIONS: Readonly<Record<string, string>> = {
  auth: 'a path of the service',
  catalogue: 'a path of the service',
  console: 'a page of the service',
  excluded: 'the name of the new rows in an SQL upsert',
  idempotency_keys: 'a table of the service',
};

export const RESERVED_PREFIXES: Readonly<Record<string, string>> = {
  catalogue_: 'tables of the service',
  pg_: "PostgreSQL's own tables",
};

/** The tables of the index of a declared search (`wordTables`), which a migration may drop. */
const SEARCH_TABLE = /^_.*_search_(documents|words|recent|stale)$/s;

/** Columns that every table has. */
const SYSTEM_COLUMNS = ['cmax', 'cmin', 'ctid', 'tableoid', 'xmax', 'xmin'];

export const RESERVED_FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SYSTEM_COLUMNS.map((name) => [name, 'a column that tables have by themselves'])),
  ['__proto__']: 'a property that JSON objects in JavaScript have by themselves',
};

function nameShape(pattern: string, problemOf: (name: string) => string | undefined): Shape<string> {
  const withName = (problem: string | undefined, name: string) => problem && `${name}: ${problem}`;
  return {
    ...checkedText('a name', (name) => withName(problemOf(name), name)),
    schema: () => ({ type: 'string', pattern, maxLength: MAX_NAME_BYTES }),
  };
}

export const anyName = nameShape(NAME, formProblem);

function formProblem(name: string): string | undefined {
  if (name === '' || name.startsWith(' ')) return 'a name has a first letter that is not a space';
  if (name.includes('\0') || !name.isWellFormed()) return 'a name consists of Unicode characters other than U+0000';
  return Buffer.byteLength(name) > MAX_NAME_BYTES ? `a name has ${MAX_NAME_BYTES} bytes at most` : undefined;
}

function reservedCollection(name: string): string | undefined {
  const prefix = Object.keys(RESERVED_PREFIXES).find((each) => name.startsWith(each));
  if (prefix !== undefined) return `names with ${prefix} are reserved for ${RESERVED_PREFIXES[prefix]}`;
  if (SEARCH_TABLE.test(name)) return `${name} is a name of search indexes`;
  return Object.hasOwn(RESERVED_COLLECTIONS, name) ? `${name} is ${RESERVED_COLLECTIONS[name]}` : undefined;
}

function reservedField(name: string): string | undefined {
  return Object.hasOwn(RESERVED_FIELDS, name) ? `${name} is ${RESERVED_FIELDS[name]}` : undefined;
}

/** Role names as in tokens and keys: also upper case and hyphens. */
const ROLE_NAME = '^[A-Za-z][A-Za-z0-9_-]*$';

export const roleName = nameShape(ROLE_NAME, (name) =>
  new RegExp(ROLE_NAME).test(name) && name.length <= MAX_NAME_BYTES
    ? undefined
    : `names of roles are letters, digits, _ and -, begin with a letter, and have ${MAX_NAME_BYTES} at most`,
);

export const collectionName = unreserved(reservedCollection);
export const fieldName = unreserved(reservedField);

/** Why a name cannot be declared; undefined if it can. */
export function nameProblem(kind: 'collection' | 'field', name: string): string | undefined {
  return formProblem(name) ?? (kind === 'collection' ? reservedCollection(name) : reservedField(name));
}

function unreserved(taken: (name: string) => string | undefined): Shape<string> {
  const problemOf = (reason: string | undefined) => reason && `${reason}; choose another name`;
  return checkedText(anyName.words, (name) => problemOf(taken(name)), anyName);
}

/** The listed names that exist. The others are mistakes, and so is a repeated one unless names may be repeated. */
export function knownNames(
  listed: readonly At<string>[],
  names: readonly string[],
  { what, noun, mayRepeat = false }: { readonly what: string; readonly noun: string; readonly mayRepeat?: boolean },
  reading: Reading,
): readonly At<string>[] {
  return listed.filter(({ value: name, at }, index) => {
    const isRepeated = !mayRepeat && listed.findIndex((each) => each.value === name) < index;
    const problem = !names.includes(name)
      ? `, which is not a ${noun}${didYouMean(name, names)}`
      : isRepeated && ' twice';
    if (problem !== false) addMistake(reading, at, `${what} names ${name}${problem}`);
    return problem === false;
  });
}
