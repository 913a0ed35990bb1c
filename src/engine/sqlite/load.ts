/**
 * Loading into SQLite. The rows are gathered in a nameless database of their own, on disk but unsynced, without a lock
 * on the catalogue; then they are stored in one transaction.
 */
import { SQLiteError } from 'bun:sqlite';
import type { Collection } from '../../collection/declaration.ts';
import { overwritten } from '../../plan/insert.ts';
import { ConfigError } from '../../settings/setting.ts';
import { conflictSql } from '../compile/conflict.ts';
import { identifier } from '../compile/statement.ts';
import { type LoadBatch, LoadRefused, type LoadResult, type LoadTerms } from '../load.ts';
import { passKey } from './assigned-keys.ts';
import type { Connection } from './connection.ts';
import { translateError } from './refusals.ts';
import { columnList } from './schema.ts';
import { Staged } from './staged.ts';

/** Indexes are written in no order: what does not fit here is written and read again and again. */
const CACHE_KB = 64 * 1024;
/** Rows that one statement stores, so that somebody can be told how far it is. */
const ROWS_PER_STORE = 20_000;

export async function loadRows(
  connection: Connection,
  collection: Collection,
  batches: AsyncIterable<LoadBatch>,
  terms: LoadTerms,
): Promise<LoadResult> {
  checkWhole(connection);
  connection.execute(`pragma cache_size = -${CACHE_KB}`);
  connection.execute("attach '' as staging");
  try {
    connection.execute('pragma staging.synchronous = off');
    connection.execute('pragma staging.journal_mode = off');
    const staged = new Staged(connection, collection);
    for await (const batch of batches) staged.add(batch);
    return new Store(connection, collection, staged, terms).run();
  } catch (error) {
    connection.rollback();
    throw translateError(error, { collection });
  } finally {
    connection.execute('detach staging');
    connection.execute('pragma cache_size = -2000');
  }
}

/** Nothing is added to a file that is damaged, be it elsewhere: what is left of it is worth more as it is. */
function checkWhole(connection: Connection): void {
  const [found] = connection.values({ sql: 'pragma main.quick_check(1)', params: [] }).flat();
  if (found === 'ok') return;
  throw new ConfigError(
    `${connection.path} is damaged, and nothing was stored in it; catalogue check says more, catalogue restore brings back a backup`,
  );
}

class Store {
  private readonly columns: string;
  private readonly table: string;
  private stored = 0;

  constructor(
    private readonly connection: Connection,
    private readonly collection: Collection,
    private readonly staged: Staged,
    private readonly terms: LoadTerms,
  ) {
    this.columns = columnList(collection.fields);
    this.table = identifier(collection.name);
  }

  run(): LoadResult {
    const { connection, staged, terms } = this;
    connection.waitInTurn();
    // What is refused already keeps nobody from writing while the other rows are looked at.
    if (!terms.goesOn()) this.refuseAll();
    connection.beginWriting();
    connection.execute('pragma defer_foreign_keys = on');
    if (terms.onConflict === 'overwrite') {
      staged.refuseRepeated(terms);
      if (!terms.goesOn()) throw new LoadRefused();
    }
    if (staged.assigns) passKey(connection, this.collection, staged.largest);
    const result = terms.onConflict === 'refuse' ? this.insertNew() : this.merge(terms.onConflict);
    if (terms.dryRun) connection.rollback();
    else connection.commit();
    return result;
  }

  /** For those who want to know all that is wrong. */
  private refuseAll(): never {
    const { staged, terms } = this;
    if (terms.onConflict !== 'keep') staged.refuseRepeated(terms);
    if (terms.onConflict === 'refuse') staged.refuseTaken(terms);
    throw new LoadRefused();
  }

  /** Straight in; only where a key is taken, the rows that are in the way are looked for. */
  private insertNew(): LoadResult {
    const { connection, staged, terms } = this;
    connection.execute('savepoint new');
    try {
      return this.storeAll('');
    } catch (error) {
      if (!(error instanceof SQLiteError) || !/CONSTRAINT_(PRIMARYKEY|ROWID|UNIQUE)/.test(error.code ?? ''))
        throw error;
      connection.execute('rollback to new');
    }
    staged.refuseRepeated(terms);
    staged.refuseTaken(terms);
    if (!terms.goesOn()) throw new LoadRefused();
    this.stored = 0;
    return this.storeAll('');
  }

  private merge(onConflict: 'keep' | 'overwrite'): LoadResult {
    const on = this.collection.key;
    if (onConflict === 'keep') return this.storeAll(conflictSql({ on, overwrite: [] }));
    const same = on.map(({ name }) => `there.${identifier(name)} = given.${identifier(name)}`);
    const inserted = this.connection.number({
      sql: `select count(*) from staging.given where not exists (select 1 from ${this.table} as there where ${same.join(' and ')})`,
      params: [],
    });
    let affected = 0;
    for (const [shape, given] of this.staged.shapes.entries()) {
      const conflict = conflictSql({ on, overwrite: overwritten(this.collection, given, on) });
      affected += this.storeAll(conflict, `"the shape" = ${shape}`).affected;
    }
    return { affected, inserted };
  }

  /** Rows of many shapes are stored shape by shape, so that each is few enough. */
  private storeAll(conflict: string, which = 'true'): LoadResult {
    const { shapes, total } = this.staged;
    const size = shapes.length === 1 ? ROWS_PER_STORE : total;
    let affected = 0;
    for (let from = 0; from < total; from += size) {
      affected += this.connection.execute(
        `insert into ${this.table} (${this.columns}) select ${this.columns} from staging.given
        where rowid > ${from} and rowid <= ${from + size} and ${which} order by rowid${conflict}`,
      );
      this.stored = Math.min(total, this.stored + size);
      this.terms.progress?.(this.stored, total);
    }
    return { affected, inserted: affected };
  }
}
