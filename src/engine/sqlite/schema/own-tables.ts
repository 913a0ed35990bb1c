/** The tables of the service's own collections, created on first use. */
import type { Database } from 'bun:sqlite';
import { modeOf } from '../../../base/files/output-file.ts';
import type { RoleHolders } from '../../../collection/access/role-warnings.ts';
import { type Catalogue, type Collection, declareCatalogue } from '../../../collection/declaration.ts';
import { KEYS, USERS } from '../../../collection/own-collections.ts';
import { identifier } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { indexesOf, indexSql, literal, select, tableSql } from './schema.ts';

/** They have no references. */
const NO_OTHERS: Catalogue = declareCatalogue({ collections: [] });

function presentOf(connection: Connection, collections: readonly Collection[]) {
  const names = collections.map(({ name }) => literal(name)).join(', ');
  const sql = `select name from sqlite_schema where type = 'table' and name in (${names})`;
  return connection.rows(sql).map(({ name }) => name);
}

export function hasOwnTables(connection: Connection, collections: readonly Collection[]): boolean {
  return presentOf(connection, collections).length === collections.length;
}

/** Needs a writable connection. If several processes start, one creates them, and the others find them. */
export function makeOwnTables(connection: Connection, collections: readonly Collection[]): void {
  if (hasOwnTables(connection, collections)) return;
  connection.writing(() => {
    const present = presentOf(connection, collections);
    for (const collection of collections) {
      if (present.includes(collection.name)) continue;
      connection.execute(tableSql(NO_OTHERS, collection));
      for (const index of indexesOf(collection)) connection.execute(indexSql(collection, index));
    }
  });
}

/** The keys and users of a file, whether or not it has tables for them. */
export function roleHolders(db: Database): RoleHolders {
  const holders = (table: string): RoleHolders['keys'] => {
    const isThere = select(db, "select 1 from sqlite_schema where type = 'table' and name = ?", table).length > 0;
    if (!isThere) return [];
    const rows = select(db, `select name, role from ${identifier(table)} order by name`);
    return rows.map(([name, role]) => ({ name: String(name), role: String(role) }));
  };
  return { keys: holders(KEYS.name), users: holders(USERS.name) };
}

/** The warning about a file of keys or users that other users of the machine may read; undefined if it is not. */
export function exposedCredentials(db: Database, path: string): string | undefined {
  const mode = modeOf(path) ?? 0;
  const { keys, users } = roleHolders(db);
  if ((mode & 0o044) === 0 || keys.length + users.length === 0) return undefined;
  return `${path} holds keys or users, and other users of this machine may read it (mode ${mode.toString(8)}): chmod 600 ${path}`;
}
