/** What a catalogue file holds: what was declared last, as far as its tables still have it. Reads only. */
import type { Database } from 'bun:sqlite';
import { type Catalogue, type Collection, declareCatalogue } from '../../collection/declaration.ts';
import type { CollectionDraft } from '../../collection/draft.ts';
import type { Found } from '../migration/changes.ts';
import { RECORD_TABLE, readRecord } from '../migration/record.ts';
import type { Problem } from '../migration/risks.ts';
import { checkOwner } from './schema.ts';

export interface Inspection extends Found {
  readonly isNew: boolean;
  /** The declaration that was last applied, as it was recorded. */
  readonly record: string | undefined;
  readonly tables: ReadonlySet<string>;
}

export function inspect(db: Database): Inspection {
  const isNew = checkOwner(db);
  const tables = namesOf(db, 'table');
  const record = tables.has(RECORD_TABLE)
    ? String(values(db, `select declaration from ${RECORD_TABLE}`)[0]?.[0])
    : undefined;
  const drafts = isNew ? [] : readRecord(record).filter(({ name }) => tables.has(name));
  const there = new Set(drafts.map(({ name }) => name));
  const collections = drafts.map((draft) => present(draft, columnsOf(db, draft.name), there));
  const catalogue = declareCatalogue({ collections });
  const references = [...catalogue.collections.values()].flatMap((collection) => collection.references);
  const names = new Set([...namesOf(db, 'index'), ...references.map(({ name }) => name)]);
  return { isNew, record, tables, catalogue, names };
}

/** Tables that nobody declared before, where a collection shall be. */
export function strangers({ tables, catalogue: found }: Inspection, catalogue: Catalogue): Problem[] {
  return [...catalogue.collections.values()]
    .filter((collection) => tables.has(collection.name) && !found.collections.has(collection.name))
    .map(({ name }: Collection) => ({
      words: `there is a table ${name} that was not made by this program; rename or remove it`,
    }));
}

interface Column {
  readonly name: string;
  readonly required: boolean;
}

/** The draft without the fields that are gone; required as the columns are. */
function present(draft: CollectionDraft, columns: readonly Column[], tables: ReadonlySet<string>): CollectionDraft {
  const column = (name: string) => columns.find((each) => each.name === name);
  return {
    ...draft,
    fields: draft.fields.flatMap((field) => {
      const found = column(field.name);
      if (found === undefined) return [];
      const { references, ...rest } = { ...field, required: found.required };
      return references !== undefined && tables.has(references.collection) ? [{ ...rest, references }] : [rest];
    }),
    unique: (draft.unique ?? []).filter((names) => names.every((name) => column(name) !== undefined)),
  };
}

function columnsOf(db: Database, table: string): Column[] {
  return values(db, 'select name, "notnull" from pragma_table_info(?)', table).map(([name, required]) => ({
    name: String(name),
    required: required === 1,
  }));
}

function namesOf(db: Database, type: 'table' | 'index'): ReadonlySet<string> {
  return new Set(values(db, 'select name from sqlite_schema where type = ?', type).map(([name]) => String(name)));
}

function values(db: Database, sql: string, ...params: string[]): unknown[][] {
  const statement = db.prepare(sql);
  try {
    return statement.values(...params);
  } finally {
    statement.finalize();
  }
}
