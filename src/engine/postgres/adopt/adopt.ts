/**
 * Adopted tables, served as they are: they must match the declaration, and nothing of them is changed. This file
 * describes how they differ from our own tables: other collations, read-only types, their own defaults.
 */
import { type Sentence, say } from '../../../base/sentence.ts';
import { type Collection, type Field, uniqueSets } from '../../../collection/declaration.ts';
import { builtIn } from '../../../collection/types/index.ts';
import type { Type } from '../../../collection/types/type.ts';
import type { Problem } from '../../migration/risks.ts';
import { quoteText } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';
import BYPASSED from '../queries/bypassed-row-security.sql' with { type: 'text' };
import { type ColumnType, typeOfAdopted } from '../schema/column-type.ts';
import type { DomainCasts, FoundColumn, FoundTable } from '../schema/inspect.ts';

/** How the fields of adopted tables are read and filled; our own fields are not included. */
export interface Adopted {
  readonly collections: ReadonlySet<Collection>;
  readonly fields: ReadonlySet<Field>;
  /** The type that a column is read as, if it is not one of ours. */
  readonly readAs: ReadonlyMap<Field, string>;
  /** Those of keys, unique sets and indexes that no index of the database finds by their values. */
  readonly unindexed: ReadonlySet<Field>;
  /** The column's type, if it is read as text but compared and sorted as a number. */
  readonly comparedAs: ReadonlyMap<Field, string>;
  /** The casts of domains that have their own. */
  readonly casts: ReadonlyMap<Type, DomainCasts>;
  /** The database's default expression, if the declaration leaves it to the database. */
  readonly fills: ReadonlyMap<Field, string>;
  /** Collections whose keys need `overriding system value` to be set. */
  readonly overriding: ReadonlySet<Collection>;
}

const TEXT = builtIn('text');
/** Types whose values differ in order and equality from their texts. */
const QUANTITY = /^(numeric|money|interval)(?=$|[ (])(?!.*\[\]$)/;

type AdoptedPairs = readonly { readonly collection: Collection; readonly table: FoundTable }[];

export function adopt(pairs: AdoptedPairs): Adopted {
  return pairs.length === 0 ? NOTHING_ADOPTED : adoptPairs(pairs);
}

function adoptPairs(pairs: AdoptedPairs): Adopted {
  const columns = pairs.flatMap(({ collection, table }) =>
    collection.fields.map((field) => ({ field, column: columnOf(table, field) })),
  );
  const mapOf = (textOf: (field: Field, column: FoundColumn) => string | undefined) => {
    const texts = columns.map(({ field, column }) => [field, column && textOf(field, column)] as const);
    return new Map(texts.filter((each): each is [Field, string] => each[1] !== undefined));
  };
  const overriding = pairs.filter(({ table }) => table.columns.some(({ identity }) => identity === 'always'));
  return {
    collections: new Set(pairs.map(({ collection }) => collection)),
    fields: new Set(columns.flatMap(({ field, column }) => (column === undefined ? [] : [field]))),
    readAs: mapOf(readAs),
    unindexed: new Set(pairs.flatMap(({ collection, table }) => unindexedFields(collection, table))),
    casts: new Map(
      columns.flatMap(({ field, column }) => {
        const isDomain = column?.casts != null && field.type === typeOfAdopted(column.domain!).type;
        return isDomain ? [[field.type, column.casts!]] : [];
      }),
    ),
    comparedAs: mapOf((field, column) => (field.type === TEXT ? QUANTITY.exec(column.type)?.[0] : undefined)),
    fills: mapOf((field, column) => (field.filled ? fillOf(column) : undefined)),
    overriding: new Set(overriding.map(({ collection }) => collection)),
  };
}

function readAs({ type }: Field, column: FoundColumn): string | undefined {
  const known = typesOf(column).find((each) => each.type === type);
  return known === undefined ? TEXT.postgres.name : known.readAs;
}

function unindexedFields(collection: Collection, table: FoundTable): readonly Field[] {
  const indexed = collection.fields.filter((field) => field.indexed).map((field) => [field]);
  return [...uniqueSets(collection), ...indexed].filter((set) => !hasIndex(table, set)).flat();
}

/** A view that PostgreSQL can update shows rows of one table, and the indexes of that table serve it. */
function hasIndex(table: FoundTable, fields: readonly Field[]): boolean {
  const columns = fields.map((field) => {
    const column = columnOf(table, field);
    return column === undefined || readAs(field, column) !== undefined ? undefined : column;
  });
  if (columns.includes(undefined)) return false;
  if (table.isUpdatableView) return columns.every((column) => !column!.isComputed);
  const isFirst = (names: readonly string[]) =>
    fields.every(({ name }) => names.slice(0, fields.length).includes(name));
  return table.indexes.some((index) => index.isWhole && index.columns !== null && isFirst(index.columns));
}

export const NOTHING_ADOPTED = adoptPairs([]);

/** Why a table cannot be served as the declared collection; empty if it can. */
export function adoptionProblems(collection: Collection, table: FoundTable): Problem[] {
  const problem = (words: Sentence) => say`another program created the table ${collection.name}, and ${words}`;
  const key = collection.key.map(({ name }) => name);
  // The declaration is trusted for the key of a view.
  const isUnique =
    key.length === 0 ||
    !table.isTable ||
    table.indexes.some(
      ({ isUnique, isWhole, columns }) =>
        isUnique && isWhole && columns?.length === key.length && columns.every((name) => key.includes(name)),
    );
  return [
    ...collection.fields.flatMap((field) => columnMisfits(field, table).map(problem)),
    ...(isUnique ? [] : [problem(say`${key.join(', ')} is not unique by itself`)]),
  ];
}

function columnMisfits(field: Field, table: FoundTable): Sentence[] {
  const column = columnOf(table, field);
  const { name, type, readOnly, required } = field;
  const filled = field.filled && field.copies === undefined;
  if (column === undefined) return [say`${name} is missing`];
  if (field.computed !== undefined) return [say`${name} cannot be computed in an existing table: declare it readOnly`];
  // Every type has a text form.
  const isReadAsText = readOnly && type === TEXT;
  const isOfType = typesOf(column).some((each) => each.type === type);
  return [
    ...(isOfType || isReadAsText ? [] : [say`${name} is ${column.type}, not ${type.name}`]),
    ...(required && table.isTable && !column.required ? [say`${name} may be null in it`] : []),
    ...(column.isComputed && table.isTable && !readOnly
      ? [say`${name} is a computed column: declare it readOnly`]
      : []),
    ...(filled && !table.hasInsertTrigger && fillOf(column) === undefined
      ? [say`the column ${name} has no default`]
      : []),
  ];
}

/** The types that a field of the column may have: a domain is also its base type. */
function typesOf({ type, domain }: FoundColumn): readonly ColumnType[] {
  return [type, ...(domain === null ? [] : [domain])].map(typeOfAdopted);
}

/** The expression that the database would store by default, if any. */
function fillOf({ default: value, sequence }: FoundColumn): string | undefined {
  return value ?? (sequence === null ? undefined : `nextval(${quoteText(sequence)})`);
}

function columnOf({ columns }: FoundTable, { name }: Field): FoundColumn | undefined {
  return columns.find((column) => column.name === name);
}

/** Returns a note about policies that hide rows from the role of this connection, or undefined. */
export async function activeRowSecurity(runner: Runner, schema: string): Promise<string | undefined> {
  const sql = `select c.relname::text as name
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
      where c.relkind in ('r', 'p') and row_security_active(c.oid) order by 1`;
  const tables = await query<{ name: string }>(runner, { sql, params: [schema] });
  if (tables.length === 0) return undefined;
  const names = tables.map(({ name }) => name).join(', ');
  return `the policies of ${names} apply to the role of the service: they may hide every row. If they depend on the caller, serve the database with --database-roles, without a declaration`;
}

/** Returns a warning that names the tables whose policies the role of this connection bypasses, or undefined. */
export async function bypassedRowSecurity(
  runner: Runner,
  schema: string,
  tables: readonly string[],
): Promise<string | undefined> {
  const bypasses = await query<Record<'name' | 'role' | 'reason', string>>(runner, {
    sql: BYPASSED,
    params: [schema, JSON.stringify(tables)],
  });
  if (bypasses.length === 0) return undefined;
  const { role, reason } = bypasses[0]!;
  const remedy = reason === 'owns them' ? ', or run ALTER TABLE … FORCE ROW LEVEL SECURITY' : '';
  const names = bypasses.map(({ name }) => name).join(', ');
  return `row level security does not apply to ${names}: the role ${role} ${reason}. The service shows and changes all of their rows. Connect as a role without these rights${remedy}, declare roles, or serve them with --database-roles`;
}
