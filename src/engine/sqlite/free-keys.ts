/**
 * Where SQLite assigns keys from: after the largest that was ever stored. What is to be passed over beside that is told
 * here, and once the largest possible key was used, from where else to count: SQLite itself finds none then.
 */
import type { Collection } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { INT4_MAX } from '../../limits.ts';
import { compileFreePosition } from '../compile/free-keys.ts';
import { identifier } from '../compile/statement.ts';
import { keysUsedUp } from '../terms.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

/** The position after which `count` keys can be assigned. SQLite's own count is there, too, from then on. */
export function windBack(connection: Connection, collection: Collection, count: number): number {
  const reached = lastAssigned(connection, collection);
  if (isFree(connection, collection, reached, count)) return reached;
  const [found] = connection.rows(compileFreePosition(collection, count, sqliteDialect));
  const position = found!.position;
  if (typeof position !== 'number') throw keysUsedUp(collection);
  connection.run({ sql: 'update sqlite_sequence set seq = ? where name = ?', params: [position, collection.name] });
  return position;
}

/** Keys up to this one are not assigned any more, as if it had been stored. */
export function passKey(connection: Connection, { name }: Collection, key: Value): void {
  const sql = 'update sqlite_sequence set seq = max(seq, ?) where name = ?';
  if (connection.run({ sql, params: [key, name] }).changes > 0) return;
  // Nothing was stored yet.
  connection.run({ sql: 'insert into sqlite_sequence (name, seq) values (?, max(0, ?))', params: [name, key] });
}

export function lastAssigned(connection: Connection, { name }: Collection): number {
  return connection.number({ sql: 'select seq from sqlite_sequence where name = ?', params: [name] });
}

/** SQLite counts from the largest key there is; where that is the end, the keys after its count may be free all the same. */
function isFree(connection: Connection, { name, key }: Collection, position: number, count: number): boolean {
  if (position + count > INT4_MAX) return false;
  const sql = `select exists (select 1 from ${identifier(name)} where ${identifier(key.name)} between ? and ?)`;
  return connection.number({ sql, params: [position + 1, position + count] }) === 0;
}
