/** Key assignment in SQLite: after the largest key ever stored, or a value set here. */
import type { Database } from 'bun:sqlite';
import type { Collection } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { firstKey } from '../../shared/write-checks.ts';
import type { Connection } from '../connection/connection.ts';

export function advanceKey(connection: Connection, { name }: Collection, key: Value): void {
  const sql = 'update sqlite_sequence set seq = max(seq, ?) where name = ?';
  if (connection.run({ sql, params: [key, name] }) > 0) return;
  // No row was stored yet.
  connection.run({ sql: 'insert into sqlite_sequence (name, seq) values (?, max(0, ?))', params: [name, key] });
}

/** Starts at the field's minimum. */
export function startKeysAt(db: Database, collection: Collection): void {
  const first = firstKey(collection);
  if (first === 1n) return;
  db.run(
    `insert into sqlite_sequence (name, seq) select ?, 0 where not exists (select 1 from sqlite_sequence where name = ?)`,
    [collection.name, collection.name],
  );
  db.run('update sqlite_sequence set seq = max(seq, ?) where name = ?', [first - 1n, collection.name]);
}
