/** The tables of the service's own collections, created on first use. */
import type { SQL } from 'bun';
import type { RoleHolders } from '../../../collection/access/role-warnings.ts';
import type { Collection } from '../../../collection/declaration.ts';
import { KEYS, USERS } from '../../../collection/own-collections.ts';
import { ConfigError } from '../../../settings/by-command.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { ADVISORY_LOCKS, query, type Runner } from '../driver.ts';
import { sqlState } from '../errors.ts';
import { indexesOf, indexSql, tableSql, uniqueSql } from './schema.ts';

async function missing(runner: Runner, schema: string, some: readonly Collection[]): Promise<readonly Collection[]> {
  const sql = `select c.relname::text as name from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relkind in ('r', 'p') and c.relname like 'catalogue\\_%'`;
  const found = await query<{ name: string }>(runner, { sql, params: [schema] });
  return some.filter(({ name }) => !found.some((each) => each.name === name));
}

export async function hasOwnTables(pool: SQL, schema: string, some: readonly Collection[]): Promise<boolean> {
  return (await missing(pool, schema, some)).length === 0;
}

/** If several instances start, one creates them, and the others find them. */
export async function makeOwnTables(pool: SQL, schema: string, some: readonly Collection[]): Promise<void> {
  if (await hasOwnTables(pool, schema, some)) return;
  try {
    await pool.begin(async (transaction) => {
      const run = (sql: string) => query(transaction, sql);
      await run(`select pg_advisory_xact_lock(${ADVISORY_LOCKS.ownTables})`);
      for (const collection of await missing(transaction, schema, some)) {
        const { name } = collection;
        await run(tableSql(collection));
        for (const each of collection.unique) await run(`alter table ${identifier(name)} add ${uniqueSql(each)}`);
        for (const index of indexesOf(collection)) await run(indexSql(collection, index));
      }
    });
  } catch (error) {
    if (sqlState(error) !== '42501') throw error;
    throw new ConfigError(
      `the schema ${schema} has no table ${some[0]!.name}, and this role may not create it: ${(error as Error).message}. Use a role that may once, for example to add the first key`,
    );
  }
}

/** The keys and users of a schema. None if it has no such tables, or if this role may not read them. */
export async function roleHolders(runner: Runner, schema: string): Promise<RoleHolders> {
  const holders = async (name: string): Promise<RoleHolders['keys']> => {
    const table = `${identifier(schema)}.${identifier(name)}`;
    const sql = "select coalesce(has_table_privilege(to_regclass($1::text), 'select'), false) as readable";
    const [found] = await query<{ readable: boolean }>(runner, { sql, params: [table] });
    if (found?.readable !== true) return [];
    return query(runner, `select name, role from ${table} order by name`);
  };
  return { keys: await holders(KEYS.name), users: await holders(USERS.name) };
}

/** Throws a `ConfigError` if the schema has tables for keys or users that this role may not read. */
export async function rejectUnreadable(runner: Runner, schema: string): Promise<void> {
  const names = [KEYS.name, USERS.name].map((name) => `${identifier(schema)}.${identifier(name)}`);
  const sql = `select name from unnest(array[${names.map(quoteText).join()}]) as name
    where not has_table_privilege(to_regclass(name), 'select')`;
  const [hidden] = await query<{ name: string }>(runner, sql);
  if (hidden === undefined) return;
  throw new ConfigError(
    `the declaration has no roles, and the role of this connection may not read ${hidden.name}, which may hold keys or users. Restore the roles, grant select on it, or serve the data to everyone with --public`,
  );
}
