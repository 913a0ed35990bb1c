/**
 * Loads rows into SQLite. Rows are staged in a temporary database, on disk but unsynced and without a lock on the
 * catalogue. Then one transaction stores them.
 */
import { finalPath } from '../../../base/files/output-file.ts';
import { type Collection, writtenFields } from '../../../collection/declaration.ts';
import type { Row, Value } from '../../../collection/value.ts';
import type { Conflict } from '../../../plan/write-plan.ts';
import { ConfigError } from '../../../settings/setting.ts';
import type { LoadBatch, LoadOptions, LoadResult, LoadSet } from '../../shared/loader.ts';
import { rejectAndStore, StagedRows } from '../../shared/staged-rows.ts';
import { conflictSql, orCopied } from '../../sql/assignment.ts';
import { columnList, identifier } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { sqliteDialect } from '../dialect.ts';
import { translateError } from '../errors.ts';
import { setOrigin, skipChanges } from '../history/log.ts';
import { parameterList, storedValues } from '../schema/schema.ts';
import { advanceKey } from './assigned-keys.ts';

/** Indexes are written in random order, so pages outside the cache would be written repeatedly. */
const CACHE_KB = 64 * 1024;
/** Many rows per statement, since each call is costly. */
const ROWS_PER_INSERT = 50;

export async function loadRows(
  connection: Connection,
  sets: readonly LoadSet[],
  options: LoadOptions,
  isLogged: boolean,
): Promise<LoadResult> {
  checkIntegrity(connection);
  connection.execute(`pragma cache_size = -${CACHE_KB}`);
  connection.execute("attach '' as staging");
  try {
    connection.execute('pragma staging.synchronous = off');
    connection.execute('pragma staging.journal_mode = off');
    const staged: SqliteStagedRows[] = [];
    for (const [index, { into, batches }] of sets.entries()) {
      const rows = new SqliteStagedRows(connection, into, index);
      for await (const batch of batches) rows.add(batch);
      staged.push(rows);
    }
    connection.waitInTurn();
    // Known rejections end the load before it blocks other writers.
    if (options.mayStore()) connection.beginWriting();
    const hasOrigin = isLogged && options.origin !== undefined && connection.inTransaction;
    if (hasOrigin) setOrigin(connection, options.origin);
    // A row may refer to a later one.
    connection.execute('pragma defer_foreign_keys = on');
    const result = await rejectAndStore(staged, options);
    if (hasOrigin) setOrigin(connection, undefined);
    if (hasOrigin && options.origin === 'silent' && result.affected > 0) {
      const collections = sets.map(({ into }) => into);
      skipChanges(connection, collections);
    }
    if (options.dryRun) connection.rollback();
    else connection.commit();
    return result;
  } catch (error) {
    connection.rollback();
    throw translateError(error);
  } finally {
    connection.execute('detach staging');
    connection.execute('pragma cache_size = -2000');
  }
}

/** Rejects a damaged file: adding rows could destroy what can still be recovered. */
function checkIntegrity(connection: Connection): void {
  const [found] = connection.values('pragma main.quick_check(1)').flat();
  if (found === 'ok') return;
  throw new ConfigError(
    `${finalPath(connection.path)} is damaged, and nothing was stored in it; catalogue check says more, catalogue restore brings back a backup`,
  );
}

function tableIn(collection: string): string {
  return `main.${identifier(collection)}`;
}

class SqliteStagedRows extends StagedRows {
  constructor(
    private readonly connection: Connection,
    collection: Collection,
    index: number,
  ) {
    super(collection, tableIn(collection.name), sqliteDialect, 'staging', index);
    connection.execute(
      `create table ${this.rows} (" number" integer primary key, " position", " shape", " text", " kept", ${columnList(collection.fields)})`,
    );
  }

  protected stage({ positions, rows, texts, kept }: LoadBatch, shape: number): void {
    const { connection, collection } = this;
    const row = `(null, ?, ?, ?, ?, ${parameterList(collection.fields)})`;
    connection.begin();
    for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
      const part = rows.slice(from, from + ROWS_PER_INSERT);
      const params: Value[] = [];
      for (const [at, each] of part.entries()) {
        const [text = null, keeps = null] = [texts?.[from + at], kept?.[from + at]];
        params.push(positions[from + at]!, shape, text, keeps, ...storedValues(collection.fields, each));
      }
      connection.run({ sql: `insert into ${this.rows} values ${row}${`, ${row}`.repeat(part.length - 1)}`, params });
    }
    connection.commit();
  }

  protected insert(conflict: Conflict, condition: string): LoadResult {
    const { connection, rows, table, collection } = this;
    const fields = writtenFields(collection);
    const values = fields.map((field) => orCopied(collection, field, (name) => `given.${identifier(name)}`));
    const inserted = connection.execute(
      `insert into ${table} (${columnList(fields)}) select ${values.join(', ')} from ${rows} as given
        where ${condition} order by " number"${conflictSql(conflict)}`,
    );
    return { affected: inserted, inserted };
  }

  protected change(sql: string): number {
    return this.connection.execute(sql);
  }

  protected areDifferent(one: string, other: string): string {
    return `${one} is not ${other}`;
  }

  protected tableOf(collection: string): string {
    return tableIn(collection);
  }

  protected advanceKeys(): void {
    const { assigned } = this.collection;
    if (assigned === undefined) return;
    // As text, since a number loses digits.
    const [found] = this.query(`select cast(max(${identifier(assigned.name)}) as text) as largest from ${this.rows}`);
    if (found?.largest != null) advanceKey(this.connection, this.collection, BigInt(found.largest as string));
  }

  protected translate(error: unknown): unknown {
    return translateError(error, this);
  }

  protected query<T = Row>(sql: string): T[] {
    return this.connection.rows<T>(sql);
  }
}
