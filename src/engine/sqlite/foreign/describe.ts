/** Describes the tables of a foreign SQLite file as a declaration for importing them. Read-only. */
import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { derivedName } from '../../../collection/derived-name.ts';
import type { FieldDraft, LinkDraft, OnDelete } from '../../../collection/draft.ts';
import { typeNamed } from '../../../collection/types/index.ts';
import type { Type } from '../../../collection/types/type.ts';
import { ConfigError } from '../../../settings/by-command.ts';
import { RECORD_TABLE, readRecord } from '../../migration/record.ts';
import {
  type DescribedDatabase,
  describeTable,
  type ForeignColumn,
  type ForeignTable,
  tableProblem,
  withUniqueNames,
} from '../../shared/describe-table.ts';
import { isReadable, readDefault } from '../../shared/sql-expressions.ts';
import { identifier } from '../../sql/statement.ts';
import { APPLICATION_ID, count, pragma, rows, select } from '../schema/schema.ts';
import { type FoundColumn, type FoundTable, tablesIn } from './tables.ts';

export async function describeSqlite(path: string): Promise<DescribedDatabase> {
  if (!existsSync(path)) throw new ConfigError(`database ${path} does not exist`);
  using db = new Database(path, { readonly: true, safeIntegers: true });
  try {
    return { location: path, ...(recorded(db) ?? describeTables(db)) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`the database ${path} cannot be read: ${(error as Error).message}`);
  }
}

type Described = Pick<DescribedDatabase, 'collections' | 'leftOut'>;

/** A catalogue file contains its own declaration. */
function recorded(db: Database): Described | undefined {
  if (pragma(db, 'application_id') !== APPLICATION_ID) return undefined;
  const [record] =
    count(db, `select count(*) from sqlite_schema where name = '${RECORD_TABLE}'`) === 0
      ? []
      : rows<{ declaration: string }>(db, `select declaration from ${RECORD_TABLE}`);
  const collections = readRecord(record?.declaration).map((draft) => ({ draft, notes: [], fieldNotes: new Map() }));
  return { collections, leftOut: [] };
}

function describeTables(db: Database): Described {
  const tables = tablesIn(db);
  const types = new Map(
    tables.map(({ name, columns }) => [
      name,
      new Map(columns.map((column) => [column.name, typeOfValues(db, name, column.name, column.type)])),
    ]),
  );
  const declared = tables.filter((table) => problemOf(db, table) === undefined);
  return {
    collections: withUniqueNames(
      declared.map((table) => {
        const file = { table, declared, types };
        const described = describeTable(foreignTable(file));
        const references = compositesOf(file);
        return references.length === 0 ? described : { ...described, draft: { ...described.draft, references } };
      }),
    ),
    leftOut: tables.flatMap((table) => problemOf(db, table) ?? []),
  };
}

function problemOf(db: Database, table: FoundTable): string | undefined {
  const problem = tableProblem(table);
  if (problem !== undefined) return problem;
  // SQLite allows null in keys: https://www.sqlite.org/quirks.html#primary_keys_can_sometimes_contain_nulls
  const { name, key } = table;
  if (key.length === 0) return `${name}: it has no primary key`;
  const nulls = key.map((each) => `${identifier(each)} is null`).join(' or ');
  return count(db, `select count(*) from ${identifier(name)} where ${nulls}`) === 0
    ? undefined
    : `${name}: some rows have no ${key.join(', ')}, which is the key`;
}

/** By table and column; undefined for columns that hold bytes. */
type Types = ReadonlyMap<string, ReadonlyMap<string, Type | undefined>>;

/** A table beside the others of its file. */
interface TableInFile {
  readonly table: FoundTable;
  readonly declared: readonly FoundTable[];
  readonly types: Types;
}

function foreignTable(file: TableInFile): ForeignTable {
  const { table } = file;
  const checks = table.checks.map((definition) => ({ definition, note: `check ${definition}` }));
  return { ...table, columns: table.columns.map((column) => foreignColumn(column, file)), checks };
}

function foreignColumn(column: FoundColumn, file: TableInFile): ForeignColumn {
  const { name, type: declaredType, dflt_value: expression } = column;
  const type = file.types.get(file.table.name)!.get(name);
  const required = column.notnull === 1n;
  if (type === undefined) return { name, type, required, default: {}, notes: [] };
  const notes: string[] = [];
  // Notes the original type if it differs.
  const isExpected = declaredType === '' || declaredType.toLowerCase().startsWith(type.kind.replace(/\d/, ''));
  if (!isExpected) notes.push(declaredType.toLowerCase());
  if (column.hidden > 1n) notes.push('computed there');
  const defaultDraft = expression === null ? {} : readDefault(expression, type);
  if (defaultDraft === undefined) notes.push(`default ${expression}`);
  return { name, type, required, default: defaultDraft ?? {}, references: referenceOf(name, type, file, notes), notes };
}

function referenceOf(
  name: string,
  type: Type,
  { table: { references: keys }, declared, types }: TableInFile,
  notes: string[],
): FieldDraft['references'] {
  for (const { id, table, to, on_delete } of keys.filter(({ from }) => from === name)) {
    const target = declared.find((each) => each.name.toLowerCase() === table.toLowerCase());
    const isSingleColumn = keys.filter((key) => key.id === id).length === 1 && target?.key.length === 1;
    const key = target?.key[0];
    const isKey = isSingleColumn && (to === null || to.toLowerCase() === key!.toLowerCase());
    if (isKey && types.get(target.name)!.get(key!) === type) {
      return { collection: target.name, onDelete: ON_DELETE[on_delete] ?? 'restrict' };
    }
    notes.push(`references ${table}`);
  }
  return undefined;
}

/** The foreign keys of several columns that hold the key of a declared table. */
function compositesOf({ table, declared, types }: TableInFile): LinkDraft[] {
  const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  return [...Map.groupBy(table.references, ({ id }) => id).values()].flatMap((columns): LinkDraft[] => {
    const target = declared.find(({ name }) => same(name, columns[0]!.table));
    if (columns.length < 2 || target?.key.length !== columns.length) return [];
    const fields = target.key.map((name, at) => {
      const column = columns.find(({ to, seq }) => (to === null ? Number(seq) === at : same(to, name)));
      const own = table.columns.find((each) => column !== undefined && same(each.name, column.from))?.name;
      return types.get(table.name)!.get(own ?? '') === types.get(target.name)!.get(name) ? own : undefined;
    });
    if (!fields.every((field) => field !== undefined)) return [];
    const onDelete = ON_DELETE[columns[0]!.on_delete] ?? 'restrict';
    const constraint = derivedName(table.name, ...fields, 'fkey');
    return [{ fields, collection: target.name, to: target.key, constraint, onDelete }];
  });
}

const ON_DELETE: Readonly<Record<string, OnDelete>> = { CASCADE: 'cascade', 'SET NULL': 'set null' };

/** Candidates by declared type name, first match: see https://www.sqlite.org/datatype3.html. */
const CANDIDATES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/BOOL/, ['boolean']],
  [/UUID|GUID|UNIQUEIDENTIFIER/, ['uuid']],
  [/JSON/, ['json']],
  [/DATETIME|TIMESTAMP/, ['timestamp']],
  [/^DATE/, ['date']],
  [/^TIME/, ['time']],
  [/CHAR|CLOB|TEXT/, ['text']],
  [/INT/, ['int8']],
  [/REAL|FLOA|DOUB/, ['float8']],
];
const DECIMAL = /^(?:DECIMAL|NUMERIC)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/;
/** For any other name. */
const ANY = ['int8', 'float8', 'text'];

/** A time with a zone is not a time of day. */
const ZONED = /(?:z|[+-]\d\d(?::?\d\d)?)$/i;

/**
 * The type of a column; undefined if values have no text form. SQLite stores any value in any column, so the declared
 * type applies only if every value can be parsed as such.
 */
function typeOfValues(db: Database, table: string, column: string, declared: string): Type | undefined {
  const values = distinctValues(db, table, column);
  if (values === undefined) return undefined;
  const texts = values.map(String);
  const names = [...candidates(declared.trim().toUpperCase(), texts), ...ANY];
  return names.flatMap((name) => typeNamed(name) ?? []).find((type) => texts.every((text) => isReadable(type, text)));
}

function candidates(declared: string, texts: readonly string[]): readonly string[] {
  const digits = DECIMAL.exec(declared);
  if (digits !== null) return [`decimal(${digits[1]},${digits[2] ?? 0})`];
  const [, names = []] = CANDIDATES.find(([pattern]) => pattern.test(declared)) ?? [];
  const areZoned = names[0] === 'timestamp' && texts.length > 0 && texts.every((text) => ZONED.test(text));
  return areZoned ? ['timestamptz'] : names;
}

function distinctValues(db: Database, table: string, column: string): (string | number | bigint)[] | undefined {
  const name = identifier(column);
  const values = select(db, `select distinct ${name} from ${identifier(table)} where ${name} is not null`).flat();
  const hasText = (value: unknown): value is string | number | bigint =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  return values.every(hasText) ? values : undefined;
}
