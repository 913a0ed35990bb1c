/** Columns, indexes and triggers that another program added to our tables. A migration preserves them. */
import type { Database } from 'bun:sqlite';
import { ConfigError } from '../../../settings/setting.ts';
import { identifier } from '../../sql/statement.ts';
import { isOfLog } from '../history/triggers.ts';
import { isOfSearchIndex } from '../search/search-index.ts';
import { rows } from './schema.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  /** 2 or 3 for a computed column. */
  readonly hidden: number;
}

/** `known` contains the declared columns and indexes, current and previous. An object is its `create` statement. */
export function foreignObjectsIn(db: Database, table: string, known: ReadonlySet<string>) {
  const columns = rows<Column>(db, 'select * from pragma_table_xinfo(?)', table).filter(({ name }) => !known.has(name));
  const computed = columns.find(({ hidden }) => hidden > 1);
  if (computed !== undefined) {
    throw new ConfigError(
      `${table}.${computed.name} is a computed column and not declared, so the table cannot be rebuilt. Nothing was changed. Drop the column`,
    );
  }
  const ofTable = "tbl_name = ? and type in ('index', 'trigger') and sql is not null";
  const objects = rows<{ name: string; sql: string }>(db, `select * from sqlite_schema where ${ofTable}`, table);
  return {
    columns: columns.map((column) => ({ name: column.name, definition: definitionOf(db, table, column) })),
    objects: objects
      .filter(({ name }) => !known.has(name) && !isOfSearchIndex(name) && !isOfLog(name))
      .map(({ sql }) => sql),
  };
}

function definitionOf(db: Database, table: string, { name, type, notnull, dflt_value }: Column): string {
  const keys = 'select * from pragma_foreign_key_list(?) where seq = 0';
  const references = rows<Record<'table' | 'from' | 'to' | 'on_delete', string>>(db, keys, table);
  const own = references.filter(({ from, to }) => from === name && to !== null);
  return [
    `${identifier(name)} ${type}`,
    ...(notnull === 1 ? ['not null'] : []),
    ...(dflt_value === null ? [] : [`default (${dflt_value})`]),
    ...own.map((to) => `references ${identifier(to.table)} (${identifier(to.to)}) on delete ${to.on_delete}`),
  ].join(' ');
}
