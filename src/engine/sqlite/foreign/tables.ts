/** Inspects the tables of a foreign SQLite file. Read-only. */
import type { Database } from 'bun:sqlite';
import { rows } from '../schema/schema.ts';

export interface FoundColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull: bigint;
  readonly dflt_value: string | null;
  /** Its position in the primary key, from 1. */
  readonly pk: bigint;
  /** 2 or 3 for a computed column. */
  readonly hidden: bigint;
}

export interface FoundTable {
  readonly name: string;
  readonly columns: readonly FoundColumn[];
  readonly key: readonly string[];
  /** Full indexes on columns, except the key's own. */
  readonly indexes: readonly { readonly isUnique: boolean; readonly columns: readonly string[] }[];
  readonly references: readonly FoundReference[];
  readonly checks: readonly string[];
}

/** A column of a foreign key; the columns of one key share an id. */
interface FoundReference {
  readonly seq: bigint;
  readonly id: bigint;
  readonly table: string;
  readonly from: string;
  /** Null if it refers to the key of that table. */
  readonly to: string | null;
  readonly on_delete: string;
}

/** Excludes views, virtual tables and their shadow tables. */
const TABLES = `select s.name, s.sql from sqlite_schema s
  join pragma_table_list l on l.name = s.name and l.schema = 'main' and l.type = 'table'
  where s.type = 'table' and s.name not like 'sqlite\\_%' escape '\\' order by 1`;

export function tablesIn(db: Database): FoundTable[] {
  return rows<{ name: string; sql: string }>(db, TABLES).map(({ name, sql }) => {
    const columns = rows<FoundColumn>(db, 'select * from pragma_table_xinfo(?)', name);
    const key = columns.filter(({ pk }) => pk > 0n).sort((one, other) => Number(one.pk - other.pk));
    return {
      name,
      columns,
      key: key.map((column) => column.name),
      indexes: indexesOf(db, name),
      references: rows<FoundReference>(db, 'select * from pragma_foreign_key_list(?)', name),
      checks: checksIn(sql),
    };
  });
}

function indexesOf(db: Database, table: string): FoundTable['indexes'] {
  const list = rows<{ name: string; unique: bigint; partial: bigint; origin: string }>(
    db,
    'select * from pragma_index_list(?)',
    table,
  );
  return list.flatMap(({ name, unique, partial, origin }) => {
    const columns = rows<{ name: string | null }>(db, 'select name from pragma_index_info(?)', name);
    const names = columns.flatMap((column) => column.name ?? []);
    if (partial === 1n || origin === 'pk' || names.length < columns.length) return [];
    return [{ isUnique: unique === 1n, columns: names }];
  });
}

/** The check conditions in a table's SQL, with unquoted names. */
function checksIn(sql: string): string[] {
  return [...sql.matchAll(/\bcheck\s*(?=\()/gi)].map(({ index, 0: word }) => {
    const from = index + word.length;
    let depth = 0;
    let inText = false;
    for (let at = from; at < sql.length; at++) {
      if (sql[at] === "'") inText = !inText;
      if (inText) continue;
      if (sql[at] === '(') depth++;
      if (sql[at] === ')' && --depth === 0) return sql.slice(from, at + 1).replace(/["`[]([a-z_]\w*)["`\]]/gi, '$1');
    }
    return sql.slice(from);
  });
}
