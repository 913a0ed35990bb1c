/**
 * Loading into SQLite. The rows are gathered in a nameless database of their own, on disk but unsynced, without a lock
 * on the catalogue; then they are stored in one transaction.
 */
import { SQLiteError } from 'bun:sqlite';
import type { Collection } from '../../collection/declaration.ts';
import { INT4_MAX } from '../../limits.ts';
import { ConfigError } from '../../settings/setting.ts';
import { conflictSql } from '../compile/conflict.ts';
import { identifier } from '../compile/statement.ts';
import { type LoadBatch, LoadRefused, type LoadResult, type LoadTerms } from '../load.ts';
import type { Connection } from './connection.ts';
import { lastAssigned, passKey, windBack } from './free-keys.ts';
import { translateError } from './refusals.ts';
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
  const { db } = connection;
  checkWhole(connection);
  db.run(`pragma cache_size = -${CACHE_KB}`);
  db.run("attach '' as staging");
  try {
    db.run('pragma staging.synchronous = off');
    db.run('pragma staging.journal_mode = off');
    const staged = new Staged(connection, collection);
    for await (const batch of batches) staged.add(batch);
    return new Store(connection, collection, staged, terms).run();
  } catch (error) {
    if (db.inTransaction) db.run('rollback');
    throw translateError(error, collection, undefined);
  } finally {
    db.run('detach staging');
    db.run('pragma cache_size = -2000');
  }
}

/** Nothing is added to a file that is damaged, be it elsewhere: what is left of it is worth more as it is. */
function checkWhole({ db }: Connection): void {
  const [found] = db.query('pragma main.quick_check(1)').values().flat();
  if (found === 'ok') return;
  throw new ConfigError(
    `${db.filename} is damaged, and nothing was stored in it; catalogue check says more, catalogue restore brings back a backup`,
  );
}

class Store {
  private readonly columns: string;
  private readonly key: string;
  private readonly table: string;
  private stored = 0;

  constructor(
    private readonly connection: Connection,
    private readonly collection: Collection,
    private readonly staged: Staged,
    private readonly terms: LoadTerms,
  ) {
    const { fields, key, name } = collection;
    this.columns = fields.map((field) => identifier(field.name)).join(', ');
    this.key = identifier(key.name);
    this.table = identifier(name);
  }

  run(): LoadResult {
    const { connection, staged, terms } = this;
    connection.waitInTurn();
    // What is refused already keeps nobody from writing while the other rows are looked at.
    if (!terms.goesOn()) this.refuseAll();
    connection.beginWriting();
    if (terms.onConflict === 'overwrite') {
      staged.refuseRepeated(terms);
      if (!terms.goesOn()) throw new LoadRefused();
    }
    if (staged.unnumbered > 0 && !this.reachesEnd()) passKey(connection, this.collection, staged.largest);
    const result = terms.onConflict === 'refuse' ? this.insertNew() : this.merge(terms.onConflict);
    connection.db.run(terms.dryRun ? 'rollback' : 'commit');
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
    const { staged, terms } = this;
    const { db } = this.connection;
    db.run('savepoint new');
    try {
      return this.storeAll('');
    } catch (error) {
      if (!(error instanceof SQLiteError) || !/CONSTRAINT_(PRIMARYKEY|ROWID|UNIQUE)/.test(error.code ?? ''))
        throw error;
      db.run('rollback to new');
    }
    staged.refuseRepeated(terms);
    staged.refuseTaken(terms);
    if (!terms.goesOn()) throw new LoadRefused();
    this.stored = 0;
    return this.storeAll('');
  }

  private merge(onConflict: 'keep' | 'overwrite'): LoadResult {
    if (onConflict === 'keep') return this.storeAll(conflictSql(this.collection, 'keep'));
    const inserted = this.connection.number({
      sql: `select count(*) from staging.given where ${this.key} is null or ${this.key} not in (select ${this.key} from ${this.table})`,
      params: [],
    });
    let affected = 0;
    for (const [shape, given] of this.staged.shapes.entries()) {
      const overwrite = given.filter((field) => field !== this.collection.key);
      const conflict = conflictSql(this.collection, { overwrite });
      affected += this.storeAll(conflict, `"the shape" = ${shape}`).affected;
    }
    return { affected, inserted };
  }

  /** Where SQLite would find no key to assign, rows that choose theirs go first, and the others get what is free then. */
  private storeAll(conflict: string, which = 'true'): LoadResult {
    const { unnumbered } = this.staged;
    if (unnumbered === 0 || !this.reachesEnd()) return this.storeInParts(conflict, which);
    const chosen = this.storeRows(conflict, `${which} and ${this.key} is not null`, this.key);
    const position = windBack(this.connection, this.collection, unnumbered);
    const numbered = `${position} + row_number() over (order by rowid)`;
    const assigned = this.storeRows(conflict, `${which} and ${this.key} is null`, numbered);
    return { affected: chosen.affected + assigned.affected, inserted: chosen.inserted + assigned.inserted };
  }

  /** Rows of many shapes are stored shape by shape, so that each is few enough. */
  private storeInParts(conflict: string, which: string): LoadResult {
    const { shapes, total } = this.staged;
    const size = shapes.length === 1 ? ROWS_PER_STORE : total;
    let affected = 0;
    for (let from = 0; from < total; from += size) {
      const part = `rowid > ${from} and rowid <= ${from + size} and ${which}`;
      affected += this.storeRows(conflict, part, this.key).affected;
      this.stored = Math.min(total, this.stored + size);
      this.terms.progress?.(this.stored, total);
    }
    return { affected, inserted: affected };
  }

  private storeRows(conflict: string, which: string, key: string): LoadResult {
    const values = this.collection.fields.map((field) =>
      field === this.collection.key ? key : identifier(field.name),
    );
    const { changes } = this.connection.db.run(
      `insert into ${this.table} (${this.columns}) select ${values.join(', ')} from staging.given where ${which} order by rowid${conflict}`,
    );
    return { affected: changes, inserted: changes };
  }

  /** Whether SQLite, which counts on from the largest key there ever was, would come past the largest possible. */
  private reachesEnd(): boolean {
    const stored = this.connection.number({
      sql: `select coalesce(max(${this.key}), 0) from ${this.table}`,
      params: [],
    });
    const { largest, unnumbered } = this.staged;
    const reached = Math.max(stored, largest, lastAssigned(this.connection, this.collection));
    return reached + unnumbered > INT4_MAX;
  }
}
