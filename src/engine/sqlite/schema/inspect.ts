/** Inspects a database file: the last declaration, as far as its tables still match. Read-only. */
import type { Database } from 'bun:sqlite';
import { say } from '../../../base/sentence.ts';
import {
  allReferences,
  type Catalogue,
  type Collection,
  declareCatalogue,
  type Field,
  fieldsOf,
} from '../../../collection/declaration.ts';
import type { FieldDraft } from '../../../collection/draft.ts';
import { type StoredSchema, withNumberedKeys } from '../../migration/changes.ts';
import { RECORD_TABLE, readRecord, type StoredColumn, storedDraft } from '../../migration/record.ts';
import type { Problem } from '../../migration/risks.ts';
import { identifier } from '../../sql/statement.ts';
import { checkOwner, NUMBERED_KEY, select } from './schema.ts';

export interface Inspection extends StoredSchema {
  readonly isNew: boolean;
  readonly record: string | undefined;
  readonly tables: ReadonlySet<string>;
}

export function inspect(db: Database, declared: Catalogue): Inspection {
  const isNew = checkOwner(db);
  const tables = namesOf(db, 'table');
  const record = tables.has(RECORD_TABLE)
    ? String(select(db, `select declaration from ${RECORD_TABLE}`)[0]?.[0])
    : undefined;
  const drafts = isNew ? [] : readRecord(record).filter(({ name }) => tables.has(name));
  const there = new Set(drafts.map(({ name }) => name));
  const collections = drafts.map((draft) => {
    const isRecorded = ({ name }: Column) => draft.fields.some((field) => field.name === name);
    const typeOf = (column: Column, { type }: FieldDraft) =>
      isRecorded(column) ? type : (STORED[column.type] ?? 'text');
    return storedDraft(draft, columnsOf(db, draft.name), there, declared.collections.get(draft.name), typeOf);
  });
  const catalogue = withNumberedKeys(declareCatalogue({ collections }), (table, key) => isNumbered(db, table, key));
  // A numbered key has no foreign key, even if an earlier version recorded a reference.
  const references = [...catalogue.collections.values()].flatMap((collection) =>
    allReferences(collection)
      .filter((each) => !fieldsOf(each).includes(collection.assigned!))
      .map(({ name }) => `${collection.name}.${name}`),
  );
  const names = new Set([...namesOf(db, 'index', "tbl_name || '.' || name"), ...references]);
  return { isNew, record, tables, catalogue, names };
}

function isNumbered(db: Database, table: string, { name }: Field): boolean {
  const sql = String(select(db, 'select sql from sqlite_schema where name = ?', table)[0]?.[0]);
  return sql.includes(`${identifier(name)} ${NUMBERED_KEY}`);
}

/** Undeclared tables that have the name of a new collection. */
export function foreignTables({ tables, catalogue: found }: Inspection, catalogue: Catalogue): Problem[] {
  return [...catalogue.collections.values()]
    .filter((collection) => tables.has(collection.name) && !found.collections.has(collection.name))
    .map(({ name }: Collection) => say`another program created the table ${name}; rename or remove it`);
}

interface Column extends StoredColumn {
  /** SQLite's storage type. */
  readonly type: string;
}

/** Types of undeclared columns by storage type. */
const STORED: Readonly<Record<string, string>> = { integer: 'int8', int: 'int8', real: 'float8' };

function columnsOf(db: Database, table: string): Column[] {
  // Not table_info, which leaves out computed columns.
  return select(db, 'select name, type, "notnull" from pragma_table_xinfo(?)', table).map(([name, type, required]) => ({
    name: String(name),
    type: String(type).toLowerCase(),
    required: required === 1,
  }));
}

function namesOf(db: Database, type: 'table' | 'index', column = 'name'): ReadonlySet<string> {
  return new Set(select(db, `select ${column} from sqlite_schema where type = ?`, type).map(([name]) => String(name)));
}
