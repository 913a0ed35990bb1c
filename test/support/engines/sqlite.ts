/**
 * Catalogue files for the tests, with the service's settings, in a folder that syncs instantly. Opening a file starts
 * threads, so a released engine is reused. Another connection then restores its first rows, like another process.
 */
import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN } from '../../../src/collection/built-in.ts';
import type { Catalogue } from '../../../src/collection/declaration.ts';
import { products } from '../../../src/collection/products.ts';
import type { Row, Value } from '../../../src/collection/value.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { Connection } from '../../../src/engine/sqlite/connection/connection.ts';
import { openSqlite, type SqliteOptions } from '../../../src/engine/sqlite/engine.ts';
import { defineFunctions } from '../../../src/engine/sqlite/functions/define.ts';
import { indexPending } from '../../../src/engine/sqlite/search/search-index.ts';
import { firstRowsOf } from '../../../src/plan/write/first-rows.ts';
import { newFolder } from '../folders.ts';
import { whenThisProcessEnds } from '../processes/process-end.ts';

/** A read, a write and a dry run may take almost as long as a test: a busy machine needs more than ten seconds. */
export const TEST_OPTIONS = {
  catalogue: BUILT_IN.catalogue,
  historyDays: 30,
  retryHours: 24,
  querySeconds: 50,
  dryRunSeconds: 50,
} as const;

export interface TestFile extends Partial<Omit<SqliteOptions, 'path' | 'firstRows'>> {
  /** Whether its tables count as large, so that only certainly cheap reads run on the event-loop thread. */
  readonly isLarge?: boolean;
}

/** Returns an option that fills a new file with these products. */
export function beginningWith(rows: readonly Row[]): SqliteOptions['firstRows'] {
  return firstRowsOf({ ...BUILT_IN, rows: () => rows });
}

let folder: string | undefined;
let made = 0;

/** Returns the path of a new file, which is deleted with this process. */
export function newFile(): string {
  if (folder === undefined) {
    folder = newFolder('catalogue-test-');
    whenThisProcessEnds(`rm -rf '${folder}'`);
  }
  return join(folder, `${++made}.db`);
}

/** An option with which no read counts as one of a small table. */
export const LARGE_TABLES = { smallTableRows: -1 };

/**
 * Indexes every row at once, also after each write through the engine. A service indexes later and in batches. Rows
 * that another connection writes are not indexed.
 */
export function indexAtOnce(engine: Engine, path: string, { collections }: Catalogue): () => void {
  const connection = new Connection(path);
  const index = () => {
    for (const collection of collections.values()) {
      while (indexPending(connection, collection, 1)) {
        /* the next rows */
      }
    }
  };
  index();
  const { write, load, close } = engine;
  engine.write = async (...terms) => {
    const result = await write.apply(engine, terms);
    index();
    return result;
  };
  engine.load = async (...terms) => {
    const result = await load.apply(engine, terms);
    index();
    return result;
  };
  engine.close = () => {
    connection.close();
    return close.apply(engine);
  };
  return index;
}

/** Returns a function that opens engines on files of one kind. Closing an engine releases it for reuse. */
export function sqliteFiles({ isLarge = false, ...options }: TestFile = {}): (firstRows: readonly Row[]) => Engine {
  const free: { readonly engine: Engine; readonly other: Database; readonly index?: () => void }[] = [];
  const open = (firstRows: readonly Row[]): Engine => {
    const path = newFile();
    const large = isLarge ? LARGE_TABLES : {};
    const engine = openSqlite({ ...TEST_OPTIONS, ...options, ...large, path, firstRows: beginningWith(firstRows) });
    const index = isLarge ? indexAtOnce(engine, path, options.catalogue ?? TEST_OPTIONS.catalogue) : undefined;
    const other = new Database(path);
    // The service also writes by itself, because it indexes new rows.
    other.run('pragma busy_timeout = 5000');
    engine.close = async () => {
      free.push({ engine, other, ...(index === undefined ? {} : { index }) });
    };
    return engine;
  };
  return (firstRows) => {
    const kept = free.pop();
    if (kept === undefined) return open(firstRows);
    putBack(kept.other, firstRows);
    kept.index?.();
    return kept.engine;
  };
}

function putBack(db: Database, rows: readonly Row[]): void {
  const { name, fields } = products;
  const insert = db.query(
    `insert into ${name} (${fields.map((field) => field.name).join(', ')}) values (${fields.map(() => '?').join(', ')})`,
  );
  db.transaction(() => {
    for (const table of [name, 'idempotency_keys', 'sqlite_sequence']) db.run(`delete from ${table}`);
    for (const row of rows) insert.run(...fields.map((field) => (row[field.name] ?? null) as Value));
  }).immediate();
}

/** Copying a larger file costs more than another engine. */
const MAX_COPIED_BYTES = 8 * 1024 * 1024;
/** With the columns before a migration. The tables of the search index follow the others, by triggers. */
const TABLES = `select format('"%w"', name) as name, (select group_concat(format('"%w"', c.name)) from pragma_table_xinfo(t.name, 'copy') c
  where hidden = 0) as columns, name in (select name from copy.sqlite_schema) as isCopied from main.sqlite_schema t
  where type = 'table' and name not like '$_%' escape '$' and name not like 'sqlite$_stat%' escape '$'
  order by name = 'sqlite_sequence', name like 'catalogue$_%' escape '$'`;

/**
 * Copies a file, and returns a function that restores all rows and sequences, on another connection. The log comes
 * after the rows, whose triggers write to it. `isServed`: another process uses the file. Returns undefined
 * for a large file.
 */
export function restoring(path: string, { isServed = false } = {}): (() => Promise<void>) | undefined {
  if (statSync(path).size > MAX_COPIED_BYTES) return undefined;
  const copy = newFile();
  const db = new Database(path);
  defineFunctions(db);
  db.run('pragma busy_timeout = 5000');
  db.run(`vacuum into '${copy}'`);
  db.run(`attach '${copy}' as copy`);
  return async () => {
    const tables = db.query<{ name: string; columns: string; isCopied: number }, []>(TABLES).all();
    const statements = tables.map(({ name, columns, isCopied }) => {
      // A running service waits for log entries after the last one that it has seen.
      const kept = isServed && name === '"sqlite_sequence"' ? "where name <> 'catalogue_changes'" : '';
      const insert = `insert into main.${name} (${columns}) select ${columns} from copy.${name} ${kept}`;
      return `delete from main.${name} ${kept}; ${isCopied ? insert : ''}`;
    });
    db.transaction(() => db.run(statements.join(';'))).immediate();
    // An engine in this process looks for commits once in a turn of the event loop.
    await new Promise(setImmediate);
  };
}
