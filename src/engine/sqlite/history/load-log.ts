/** Stores the log of another database, whose rows were loaded without it. */
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import type { StoredRow } from '../../../plan/write-plan.ts';
import type { CopiedLog } from '../../engine.ts';
import { LOG_TABLE, RETAINED_TABLE } from '../../shared/change-log.ts';
import { quoteText } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { storedValues } from '../schema/schema.ts';
import { advanceKey } from '../write/assigned-keys.ts';
import { valueIn } from './log.ts';
import { keySql } from './triggers.ts';

/** Returns the number of entries. */
export async function loadLog(connection: Connection, { entries, begins, position }: CopiedLog): Promise<number> {
  let count = 0;
  connection.beginWriting();
  try {
    for await (const batch of entries) {
      for (const { collection, seq, at, actor, role, request_id, kind, before, after } of batch) {
        const params = [seq, at, actor, role, request_id, kind, jsonOf(collection, before), jsonOf(collection, after)];
        connection.run({ sql: insertSql(collection), params });
        count++;
      }
    }
    for (const [collection, { seq, at }] of begins) {
      const { name, assigned } = collection;
      // Keys of deleted rows are not assigned again.
      if (assigned !== undefined) advanceKey(connection, collection, lastKey(connection, name, assigned));
      connection.run({
        sql: `update ${RETAINED_TABLE} set seq = ?, at = ? where collection = ?`,
        params: [seq, at, name],
      });
    }
    connection.run(`delete from sqlite_sequence where name = '${LOG_TABLE}'`);
    connection.run({ sql: 'insert into sqlite_sequence (name, seq) values (?, ?)', params: [LOG_TABLE, position] });
    connection.commit();
  } finally {
    connection.rollback();
  }
  return count;
}

function lastKey(connection: Connection, collection: string, key: Field): Value {
  const sql = `select coalesce(max(${valueIn('coalesce(new, old)', key)}), 0) from ${LOG_TABLE} where collection = ?`;
  return connection.values({ sql, params: [collection] })[0]![0] as Value;
}

function insertSql(collection: Collection): string {
  const key = keySql(collection, (field) => valueIn('coalesce(?8, ?7)', field));
  return `insert into ${LOG_TABLE} (seq, at, actor, role, request_id, collection, key, kind, old, new)
    values (?1, ?2, ?3, ?4, ?5, ${quoteText(collection.name)}, ${key}, ?6, ?7, ?8)`;
}

/** A row as the triggers write it. */
function jsonOf({ fields }: Collection, row: StoredRow | null): string | null {
  if (row === null) return null;
  const members = storedValues(fields, row).map((value, index) => {
    const text =
      typeof value === 'bigint' ? String(value) : JSON.stringify(typeof value === 'boolean' ? Number(value) : value);
    return `${JSON.stringify(fields[index]!.name)}:${text}`;
  });
  return `{${members.join(',')}}`;
}
