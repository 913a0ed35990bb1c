/** Compares a declaration with the tables of a database, and lists the differences. */
import {
  type CatalogueDraft,
  type CollectionDraft,
  type FieldDraft,
  type FunctionDraft,
  VALUE_RULES,
} from '../../collection/draft.ts';
import type { DescribedDatabase } from '../../engine/shared/describe-table.ts';

/** The properties that a table determines. The others, such as titles, only the declaration knows. */
const FIELD_PROPERTIES = [
  'type',
  'required',
  'default',
  'unique',
  'indexed',
  'references',
  ...VALUE_RULES,
  'readOnly',
  'filled',
] as const satisfies readonly (keyof FieldDraft)[];

const COLLECTION_PROPERTIES = [
  'key',
  'unique',
  'references',
  'computed',
] as const satisfies readonly (keyof CollectionDraft)[];

/** One line for each difference; none if the file declares what `catalogue declare` would write. */
export function differencesIn(
  file: string,
  { collections: declared, functions = [] }: CatalogueDraft,
  { collections, functions: callable = [], leftOut }: DescribedDatabase,
): string[] {
  const found = new Map(collections.map(({ draft }) => [draft.name, draft]));
  const names = new Set(declared.map(({ name }) => name));
  const words = (here: unknown, there: unknown) => `${print(here)} in ${file}, ${print(there)} in the database`;
  const missing = (name: string) =>
    leftOut.find((each) => each.startsWith(`${name}: `)) ?? `${name}: not in the database`;
  return [
    ...declared.flatMap((draft) => {
      const table = found.get(draft.name);
      if (table === undefined) return [missing(draft.name)];
      const fields = new Map(table.fields.map((field) => [field.name, field]));
      const isDeclared = ({ name }: FieldDraft) => draft.fields.some((field) => field.name === name);
      return [
        ...changed(draft, table, COLLECTION_PROPERTIES).map(
          (property) => `${draft.name}: ${property} is ${words(draft[property], table[property])}`,
        ),
        ...draft.fields.flatMap((field) => {
          const column = fields.get(field.name);
          const name = `${draft.name}.${field.name}`;
          if (column === undefined) return [`${name}: not in the database`];
          return changed(field, column, FIELD_PROPERTIES).map(
            (property) => `${name}: ${property} is ${words(field[property], column[property])}`,
          );
        }),
        ...table.fields
          .filter((field) => !isDeclared(field))
          .map(({ name }) => `${draft.name}.${name}: not in ${file}`),
      ];
    }),
    ...[...found.keys()].filter((name) => !names.has(name)).map((name) => `${name}: not in ${file}`),
    ...functions.flatMap((each) => functionDifference(each, callable)),
  ];
}

/** A function of the file that the database does not have like this. Undeclared functions do not count. */
function functionDifference(declared: FunctionDraft, callable: readonly FunctionDraft[]): string[] {
  const asDeclared = ({ description: _, ...rest }: FunctionDraft) => rest;
  if (callable.some((each) => Bun.deepEquals(asDeclared(each), asDeclared(declared)))) return [];
  const isThere = callable.some(({ name }) => name === declared.name);
  return [`function ${declared.name}: ${isThere ? 'other parameters or results' : 'not'} in the database`];
}

function changed<T extends object, Name extends keyof T>(one: T, other: T, properties: readonly Name[]): Name[] {
  const said = (value: unknown) => (isNothing(value) ? null : value);
  return properties.filter((property) => !Bun.deepEquals(said(one[property]), said(other[property])));
}

/** Absent, false and an empty list mean the same. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === false || (Array.isArray(value) && value.length === 0);
}

function print(value: unknown): string {
  if (isNothing(value)) return 'absent';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
