/** Describes the tables of a foreign SQLite file as a declaration for importing them. Read-only. */
import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import type { CollectionDraft, FieldDraft, OnDelete } from '../../../collection/draft.ts';
import { typeNamed } from '../../../collection/types/index.ts';
import type { Type } from '../../../collection/types/type.ts';
import { nameProblem } from '../../../declare/names.ts';
import { ConfigError } from '../../../settings/by-command.ts';
import { RECORD_TABLE, readRecord } from '../../migration/record.ts';
import { type DescribedCollection, type DescribedDatabase, withUniqueNames } from '../../shared/described-tables.ts';
import { type FoundRules, readCheck, readDefault } from '../../shared/sql-expressions.ts';
import { identifier } from '../../sql/statement.ts';
import { APPLICATION_ID, count, pragma } from '../schema/schema.ts';
import { typeOfValues } from '../schema/value-type.ts';
import { type ForeignColumn, type ForeignTable, rows, tablesIn } from './tables.ts';

export async function describeSqlite(path: string): Promise<DescribedDatabase> {
  if (!existsSync(path)) throw new ConfigError(`database ${path} does not exist`);
  const db = new Database(path, { readonly: true, safeIntegers: true });
  try {
    return { location: path, ...(recorded(db) ?? describeTables(db)) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`the database ${path} cannot be read: ${(error as Error).message}`);
  } finally {
    db.close();
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
  const types = new Map(tables.map((table) => [table.name, typesOf(db, table)]));
  const declared = tables.filter((table) => obstacleOf(db, table) === undefined);
  return {
    collections: withUniqueNames(declared.map((table) => new Description(table, declared, types).describe())),
    leftOut: tables.flatMap((table) => obstacleOf(db, table) ?? []),
  };
}

function obstacleOf(db: Database, { name, key }: ForeignTable): string | undefined {
  const problem = nameProblem('collection', name);
  if (problem !== undefined) return `${name}: ${problem}`;
  if (key.length === 0) return `${name}: it has no primary key`;
  const problems = key.map((column) => nameProblem('field', column));
  const at = problems.findIndex((each) => each !== undefined);
  if (at !== -1) return `${name}: its key has the column ${key[at]}; ${problems[at]}`;
  // SQLite allows null in keys: https://www.sqlite.org/quirks.html#primary_keys_can_sometimes_contain_nulls
  const nulls = key.map((each) => `${identifier(each)} is null`).join(' or ');
  return count(db, `select count(*) from ${identifier(name)} where ${nulls}`) === 0
    ? undefined
    : `${name}: some rows have no ${key.join(', ')}, which is the key`;
}

type Types = ReadonlyMap<string, Type | undefined>;

function typesOf(db: Database, { name, columns }: ForeignTable): Types {
  return new Map(columns.map((column) => [column.name, typeOfValues(db, name, column.name, column.type)]));
}

class Description {
  private readonly notes: string[] = [];
  private readonly fieldNotes = new Map<string, string>();

  constructor(
    private readonly table: ForeignTable,
    private readonly declared: readonly ForeignTable[],
    private readonly types: ReadonlyMap<string, Types>,
  ) {}

  describe(): DescribedCollection {
    const { name, key, columns } = this.table;
    const fields = columns.filter((column) => this.canBeField(column)).map((column) => this.field(column));
    const unique = this.table.indexes.filter(({ isUnique, columns: names }) => isUnique && names.length > 1);
    const sets = unique
      .map(({ columns: names }) => names)
      .filter((names) => names.every((each) => fields.some((field) => field.name === each)));
    for (const check of this.table.checks.filter((each) => !this.isSaid(each, fields)))
      this.notes.push(`check ${check}`);
    const draft: CollectionDraft = { name, key, fields, ...(sets.length === 0 ? {} : { unique: sets }) };
    return { draft, notes: this.notes, fieldNotes: this.fieldNotes };
  }

  private canBeField({ name }: ForeignColumn): boolean {
    const problem =
      nameProblem('field', name) ?? (this.typeOf(name) === undefined ? 'it holds bytes that are not text' : undefined);
    if (problem === undefined) return true;
    this.notes.push(`the column ${name} is left out: ${problem}`);
    return false;
  }

  private field({ name, type: declared, notnull, dflt_value, hidden }: ForeignColumn): FieldDraft {
    const type = this.typeOf(name)!;
    const isKey = this.table.key.includes(name);
    const isUnique = this.table.indexes.some((index) => index.isUnique && index.columns.join() === name);
    const isIndexed = this.table.indexes.some((index) => !index.isUnique && index.columns[0] === name);
    // Notes the original type if it differs.
    const isExpected = declared === '' || declared.toLowerCase().startsWith(type.kind.replace(/\d/, ''));
    if (!isExpected) this.note(name, declared.toLowerCase());
    if (hidden > 1n) this.note(name, 'computed there');
    return {
      name,
      type: type.name,
      ...(notnull === 1n && !isKey ? { required: true } : {}),
      ...this.defaultOf(name, dflt_value, type),
      ...(isUnique && !(isKey && this.table.key.length === 1) ? { unique: true } : {}),
      ...(isIndexed ? { indexed: true } : {}),
      ...this.referenceOf(name, type),
      ...this.rulesOf(name, type),
    };
  }

  private typeOf(name: string): Type | undefined {
    return this.types.get(this.table.name)!.get(name);
  }

  private defaultOf(name: string, expression: string | null, type: Type): Partial<FieldDraft> {
    if (expression === null) return {};
    const found = readDefault(expression, type);
    if (found === undefined) this.note(name, `default ${expression}`);
    return found ?? {};
  }

  private referenceOf(name: string, type: Type): Partial<FieldDraft> {
    const { references: keys } = this.table;
    for (const { id, table, to, on_delete } of keys.filter(({ from }) => from === name)) {
      const target = this.declared.find((each) => each.name.toLowerCase() === table.toLowerCase());
      const isAlone = keys.filter((key) => key.id === id).length === 1 && target?.key.length === 1;
      const key = target?.key[0];
      const isKey = isAlone && (to === null || to.toLowerCase() === key!.toLowerCase());
      if (isKey && this.types.get(target.name)!.get(key!) === type) {
        return { references: { collection: target.name, onDelete: ON_DELETE[on_delete] ?? 'restrict' } };
      }
      this.note(name, `references ${table}`);
    }
    return {};
  }

  private rulesOf(name: string, type: Type): FoundRules {
    return Object.assign({}, ...this.table.checks.map((check) => readCheck(check, name, type) ?? {}));
  }

  private isSaid(check: string, fields: readonly FieldDraft[]): boolean {
    return fields.some(({ name, type }) => readCheck(check, name, typeNamed(type)!) !== undefined);
  }

  private note(field: string, words: string): void {
    const before = this.fieldNotes.get(field);
    this.fieldNotes.set(field, before === undefined ? words : `${before}; ${words}`);
  }
}

const ON_DELETE: Readonly<Record<string, OnDelete>> = { CASCADE: 'cascade', 'SET NULL': 'set null' };
