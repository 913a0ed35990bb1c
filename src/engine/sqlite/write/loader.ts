/**
 * Loads rows into SQLite. Rows are staged in a temporary database, on disk but unsynced and without a lock on the
 * catalogue. Then one transaction stores them.
 */
import { SQLiteError } from 'bun:sqlite';
import type { Collection } from '../../../collection/declaration.ts';
import { overwrittenFields } from '../../../plan/write/insert.ts';
import { ConfigError } from '../../../settings/setting.ts';
import { type LoadOptions, LoadRejected, type LoadResult, type LoadSet } from '../../shared/loader.ts';
import { conflictSql } from '../../sql/conflict.ts';
import { identifier } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { isReferenceError, translateError } from '../errors.ts';
import { columnList } from '../schema/schema.ts';
import { advanceKey } from './assigned-keys.ts';
import { findBroken } from './broken-references.ts';
import { Staging } from './staging.ts';

/** Indexes are written in random order, so pages outside the cache would be written repeatedly. */
const CACHE_KB = 64 * 1024;
/** Rows per statement, for progress reports. */
const ROWS_PER_STORE = 20_000;

export async function loadRows(
  connection: Connection,
  sets: readonly LoadSet[],
  terms: LoadOptions,
): Promise<LoadResult> {
  checkWhole(connection);
  connection.execute(`pragma cache_size = -${CACHE_KB}`);
  connection.execute("attach '' as staging");
  try {
    connection.execute('pragma staging.synchronous = off');
    connection.execute('pragma staging.journal_mode = off');
    const gathered: Staging[] = [];
    for (const { into, batches } of sets) {
      const staged = new Staging(connection, into);
      for await (const batch of batches) staged.add(batch);
      gathered.push(staged);
    }
    return storeAll(connection, gathered, terms);
  } catch (error) {
    connection.rollback();
    throw translateError(error);
  } finally {
    connection.execute('detach staging');
    connection.execute('pragma cache_size = -2000');
  }
}

/** Rejects a damaged file: adding rows could destroy what can still be recovered. */
function checkWhole(connection: Connection): void {
  const [found] = connection.values({ sql: 'pragma main.quick_check(1)', params: [] }).flat();
  if (found === 'ok') return;
  throw new ConfigError(
    `${connection.path} is damaged, and nothing was stored in it; catalogue check says more, catalogue restore brings back a backup`,
  );
}

function storeAll(connection: Connection, gathered: readonly Staging[], terms: LoadOptions): LoadResult {
  connection.waitInTurn();
  // Known rejections end the load before it blocks other writers.
  if (!terms.goesOn()) refuseAll(gathered, terms);
  connection.beginWriting();
  // A row may refer to a later one.
  connection.execute('pragma defer_foreign_keys = on');
  const total = gathered.reduce((sum, staged) => sum + staged.total, 0);
  const result = { affected: 0, inserted: 0 };
  let before = 0;
  for (const staged of gathered) {
    const { affected, inserted } = store(connection, staged, terms, (rows) => terms.progress?.(before + rows, total));
    result.affected += affected;
    result.inserted += inserted;
    before += staged.total;
  }
  end(connection, gathered, terms);
  return result;
}

function store(
  connection: Connection,
  staged: Staging,
  terms: LoadOptions,
  stored: (rows: number) => void,
): LoadResult {
  try {
    return new Store(connection, staged, terms, stored).run();
  } catch (error) {
    throw translateError(error, staged);
  }
}

/** SQLite reports a broken reference only at commit, without naming it. */
function end(connection: Connection, gathered: readonly Staging[], { dryRun }: LoadOptions): void {
  const broken = () => gathered.map(({ collection }) => findBroken(connection, collection)).find(Boolean);
  try {
    const found = dryRun ? broken() : undefined;
    if (found !== undefined) throw found;
    if (dryRun) connection.rollback();
    else connection.commit();
  } catch (error) {
    throw isReferenceError(error) ? (broken() ?? error) : error;
  }
}

/** Reports all rejected rows. */
function refuseAll(gathered: readonly Staging[], terms: LoadOptions): never {
  for (const staged of gathered) {
    if (terms.onConflict !== 'keep') staged.refuseRepeated(terms);
    if (terms.onConflict === 'refuse') staged.refuseTaken(terms);
    staged.refuseShared(terms);
  }
  throw new LoadRejected();
}

class Store {
  private readonly collection: Collection;
  private readonly columns: string;

  constructor(
    private readonly connection: Connection,
    private readonly staged: Staging,
    private readonly terms: LoadOptions,
    private readonly stored: (rows: number) => void,
  ) {
    this.collection = staged.collection;
    this.columns = columnList(this.collection.fields);
  }

  run(): LoadResult {
    const { connection, staged, terms } = this;
    if (terms.onConflict === 'overwrite') staged.refuseRepeated(terms);
    if (terms.onConflict !== 'refuse') staged.refuseShared(terms);
    if (!terms.goesOn()) throw new LoadRejected();
    if (staged.assigns) advanceKey(connection, this.collection, staged.largest);
    return terms.onConflict === 'refuse' ? this.insertNew() : this.merge(terms.onConflict);
  }

  /** Inserts directly; looks for conflicting rows only after a conflict. */
  private insertNew(): LoadResult {
    const { connection, staged, terms } = this;
    connection.execute('savepoint new');
    try {
      return this.storeRows('');
    } catch (error) {
      if (!(error instanceof SQLiteError) || !/CONSTRAINT_(PRIMARYKEY|ROWID|UNIQUE)/.test(error.code ?? ''))
        throw error;
      connection.execute('rollback to new');
    }
    staged.refuseRepeated(terms);
    staged.refuseTaken(terms);
    staged.refuseShared(terms);
    if (!terms.goesOn()) throw new LoadRejected();
    return this.storeRows('');
  }

  private merge(onConflict: 'keep' | 'overwrite'): LoadResult {
    const on = this.collection.key;
    if (onConflict === 'keep') return this.storeRows(conflictSql({ on, overwrite: [] }));
    const same = on.map(({ name }) => `there.${identifier(name)} = given.${identifier(name)}`);
    const inserted = this.connection.number({
      sql: `select count(*) from ${this.staged.rows} as given where not exists (select 1 from ${this.staged.table} as there where ${same.join(' and ')})`,
      params: [],
    });
    let affected = 0;
    for (const [shape, given] of this.staged.shapes.entries()) {
      const conflict = conflictSql({ on, overwrite: overwrittenFields(this.collection, given, on) });
      affected += this.storeRows(conflict, `"the shape" = ${shape}`).affected;
    }
    return { affected, inserted };
  }

  /** Rows of different shapes are stored shape by shape. */
  private storeRows(conflict: string, which = 'true'): LoadResult {
    const { rows, shapes, total } = this.staged;
    const size = shapes.length === 1 ? ROWS_PER_STORE : Math.max(1, total);
    let affected = 0;
    for (let from = 0; from < total; from += size) {
      affected += this.connection.execute(
        `insert into ${this.staged.table} (${this.columns}) select ${this.columns} from ${rows}
        where rowid > ${from} and rowid <= ${from + size} and ${which} order by rowid${conflict}`,
      );
      this.stored(Math.min(total, from + size));
    }
    return { affected, inserted: affected };
  }
}
