/** Stores the log of another database, whose rows were loaded without it. */
import type { Collection } from '../../../collection/declaration.ts';
import type { StoredRow } from '../../../plan/write-plan.ts';
import type { CopiedEntry, CopiedLog } from '../../engine.ts';
import { LOG_TABLE, RETAINED_TABLE } from '../../shared/change-log.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import type { Pool } from '../connections/pool.ts';
import { query, type Runner, WAITING_FOR_A_CLIENT } from '../driver.ts';
import { rowsAsJson } from '../write/input-rows.ts';
import { inTransaction } from '../write/transaction.ts';
import { keySql } from './triggers.ts';

/** Returns the number of entries. */
export function loadLog(pool: Pool, { entries, begins, position }: CopiedLog): Promise<number> {
  const work = async (connection: Runner) => {
    let count = 0;
    const run = (sql: string, ...params: string[]) => query(connection, { sql, params });
    await run(WAITING_FOR_A_CLIENT);
    for await (const batch of entries) {
      for (const [collection, some] of Map.groupBy(batch, (entry) => entry.collection)) {
        await run(insertSql(collection), jsonOf(collection, some));
      }
      count += batch.length;
    }
    for (const [{ name, assigned }, { seq, at }] of begins) {
      if (assigned !== undefined) await run(advanceSql(name, assigned.name), name);
      const values = 'seq = $1::text::int8, at = $2::text::timestamptz';
      await run(`update ${RETAINED_TABLE} set ${values} where collection = $3::text`, String(seq), at, name);
    }
    if (position > 0)
      await run(`select setval(pg_get_serial_sequence('${LOG_TABLE}', 'seq'), $1::text::int8)`, String(position));
    return count;
  };
  return inTransaction(pool, work, true);
}

/** Keys of deleted rows in the log are not assigned again. */
function advanceSql(collection: string, key: string): string {
  const sequence = `pg_get_serial_sequence(${quoteText(identifier(collection))}, ${quoteText(key)})`;
  const last = `max((coalesce(new, old) ->> ${quoteText(key)})::int8)`;
  return `select setval(${sequence}, greatest(${last}, pg_sequence_last_value(${sequence}::regclass)))
    from ${LOG_TABLE} where collection = $1::text having ${last} > 0`;
}

function insertSql(collection: Collection): string {
  const key = keySql(collection, (field) => `stored.${identifier(field.name)}`);
  return `insert into ${LOG_TABLE} (seq, at, actor, role, request_id, collection, key, kind, old, new) overriding system value
    select log.seq, log.at, log.actor, log.role, log.request_id, ${quoteText(collection.name)}, ${key}, log.kind, log.old, log.new
    from json_to_recordset($1::text::json) as log (seq int8, at timestamptz, actor text, role text, request_id text, kind text, old json, new json)
      cross join lateral json_populate_record(null::${identifier(collection.name)}, coalesce(log.new, log.old)) as stored`;
}

function jsonOf({ fields }: Collection, entries: readonly CopiedEntry[]): string {
  const row = (given: StoredRow | null) => (given === null ? 'null' : rowsAsJson(fields, [given]).slice(1, -1));
  const texts = entries.map(({ collection: _, before, after, ...entry }) => {
    return `${JSON.stringify(entry).slice(0, -1)},"old":${row(before)},"new":${row(after)}}`;
  });
  return `[${texts.join(',')}]`;
}
