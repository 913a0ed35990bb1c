/** `catalogue copy`: copies a catalogue between databases of any kind, and verifies the row counts. */

import { CredentialStore } from '../auth/store.ts';
import { amount } from '../base/amount.ts';
import { ApiError } from '../base/errors.ts';
import { allReferences, type Catalogue, type Collection } from '../collection/declaration.ts';
import { jsonText, parseJson } from '../collection/exact-json.ts';
import { VIEWS } from '../collection/own-collections.ts';
import { builtIn } from '../collection/types/index.ts';
import { storeJson } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Engine } from '../engine/engine.ts';
import { foreignRows, storableCatalogue } from '../engine/open.ts';
import type { LoadBatch, RejectedRow } from '../engine/shared/loader.ts';
import { planRead } from '../plan/read/read.ts';
import type { StoredRow } from '../plan/types.ts';
import { COPY_SETTINGS, ConfigError, type Values } from '../settings/by-command.ts';
import { defineCommand, JSON_OPTION, printResult } from './shared/command.ts';
import { filesIn, rowsWithFiles, type SourceRows } from './shared/copied-files.ts';
import { isNew, withDatabase } from './shared/database.ts';
import { LoadBars } from './shared/progress.ts';
import { lines, read, rowCount } from './shared/read-rows.ts';

const TEXT = builtIn('text');
const OPTIONS = { ...JSON_OPTION, ...COPY_SETTINGS } as const;
/** The maximum number of rows in one batch, and of characters in their texts. */
const ROWS_PER_BATCH = 1_000;
const LENGTH_PER_BATCH = 4_000_000;

export const command = defineCommand({
  options: OPTIONS,
  usage: `Usage: catalogue copy --from URL --to URL [flags]

Copies all rows from one database to another, between SQLite and PostgreSQL in either direction. Each collection is
read as of one moment; later writes are not copied. The target must be new or empty. All of it is
stored in one transaction: an interrupted copy has stored nothing, and can be run again. Uploaded files are copied as well,
to the target database, or to the place of --to-files. Views of the console follow in a transaction of their own. Keys
and users are not copied; the command prints their number. The source may be an SQLite file of another program, with the
declaration that catalogue declare wrote for it.`,
  async run({ values: settings }) {
    const { from, to, schema, toSchema } = settings;
    if (from === '' || to === '')
      throw new ConfigError('source or target is missing. Use: catalogue copy --from URL --to URL');
    const target = { ...settings, database: to, schema: toSchema === '' ? schema : toSchema };
    const declared = await loadCatalogue(settings.collections);
    const { catalogue: storable, notes } = await storableCatalogue(to, declared.catalogue);
    const loaded = { ...declared, catalogue: storable };
    const copy = (source: Source, location: string) =>
      withDatabase(
        target,
        'by a load',
        async (engine, catalogue) => ({
          from: location,
          to: engine.location,
          rows: await copyAll(catalogue, source, engine, settings.toFiles),
          ...(await source.credentials()),
        }),
        { loaded },
      );
    const report = await withSource(settings, copy);
    for (const note of notes) process.stderr.write(`${note}\n`);
    const words = `Copied ${amount(report.rows)} from ${report.from} to ${report.to}; the counts agree.`;
    printResult(settings.json, report, words, ...credentialWords(report));
  },
});

/** The source of a copy. */
interface Source extends SourceRows {
  count(collection: Collection): Promise<number>;
  /** The numbers of keys and users, which are not copied. */
  credentials(): Promise<Credentials>;
  /** The stored views, if there are some. */
  views?: () => Promise<AsyncIterable<StoredRow> | undefined>;
}

interface Credentials {
  readonly keys: number;
  readonly users: number;
}

function credentialWords({ keys, users }: Credentials): readonly string[] {
  const credentials = [...(keys > 0 ? [amount(keys, 'key')] : []), ...(users > 0 ? [amount(users, 'user')] : [])];
  const advice = 'Create new ones there with catalogue key add and catalogue user add.';
  return credentials.length === 0 ? [] : [`Not copied: ${credentials.join(' and ')}. ${advice}`];
}

async function withSource<T>(
  settings: Values<typeof OPTIONS>,
  work: (source: Source, location: string) => Promise<T>,
): Promise<T> {
  const foreign = await foreignRows(settings.from);
  const none = async () => ({ keys: 0, users: 0 });
  if (foreign !== undefined) return work({ ...foreign, credentials: none }, settings.from);
  return withDatabase({ ...settings, database: settings.from }, 'never', (engine, catalogue) => {
    const { roles } = catalogue;
    const source: Source = {
      ...filesIn(engine, catalogue),
      rows: (each) => storedRows(catalogue.collections.get(each.name) ?? each, each, engine),
      count: (each) => rowCount(engine, each),
      credentials: roles === undefined ? none : () => credentialsIn(engine),
      views: () => viewsIn(engine),
    };
    return work(source, engine.location);
  });
}

async function credentialsIn(engine: Engine): Promise<Credentials> {
  const store = new CredentialStore(engine);
  return { keys: (await store.keys.all()).length, users: (await store.users.all()).length };
}

async function viewsIn(engine: Engine): Promise<AsyncIterable<StoredRow> | undefined> {
  return (await engine.ownTables([VIEWS], { make: false })) ? storedRows(VIEWS, VIEWS, engine) : undefined;
}

/** Referenced collections first; a cycle begins anywhere. */
function byDependency({ collections }: Catalogue): Collection[] {
  const ordered = new Set<Collection>();
  const add = (collection: Collection, path: readonly Collection[]) => {
    if (ordered.has(collection) || path.includes(collection)) return;
    for (const { to } of [...allReferences(collection), ...collection.lists])
      add(collections.get(to)!, [...path, collection]);
    ordered.add(collection);
  };
  for (const collection of collections.values()) add(collection, []);
  return [...ordered];
}

/** Resolves to the number of rows. */
async function copyAll(catalogue: Catalogue, source: Source, target: Engine, toFiles: string): Promise<number> {
  const collections = byDependency(catalogue);
  let present = 0;
  let total = 0;
  for (const collection of collections) {
    if (!isNew(target, collection)) present += await rowCount(target, collection);
    total += await source.count(collection);
  }
  if (present > 0) {
    throw new ConfigError(`the target ${target.location} holds ${amount(present)} already. Copy to an empty database`);
  }
  const copied = await rowsWithFiles(catalogue, source, target, toFiles);
  const bars = new LoadBars('Copying', total, 'rows');
  let count = 0;
  const seen = (rows: number) => {
    count += rows;
    bars.reading(count);
  };
  const sets = collections.map((into) => ({ into, batches: batches(into, copied.rows(into), seen) }));
  // The rows are not changes, but the initial state of the target.
  const options = {
    onConflict: 'refuse',
    dryRun: false,
    origin: 'silent',
    onRejected: fail,
    mayStore: () => true,
  } as const;
  const loading = target.load(sets, { ...options, progress: bars.storing });
  const { inserted } = await loading.catch(async (error) => {
    // The rows may be stored, although the confirmation was lost.
    if (!(error instanceof ApiError && error.status >= 500)) await copied.release();
    throw error;
  });
  bars.end(true);
  const views = await source.views?.();
  if (views !== undefined) {
    await target.ownTables([VIEWS], { make: true });
    await target.load([{ into: VIEWS, batches: batches(VIEWS, views, () => undefined) }], options);
  }
  return inserted;
}

/** Another process also writes to the target. */
function fail({ error }: RejectedRow): never {
  throw error;
}

async function* batches(
  { fields }: Collection,
  source: AsyncIterable<StoredRow>,
  seen: (rows: number) => void,
): AsyncGenerator<LoadBatch> {
  let done = 0;
  let rows: StoredRow[] = [];
  let length = 0;
  const batch = () => ({ positions: rows.map((_row, index) => done - rows.length + index + 1), rows, given: fields });
  for await (const row of source) {
    rows.push(row);
    done++;
    length += row.reduce((sum: number, value) => sum + lengthOf(value), 0);
    if (rows.length < ROWS_PER_BATCH && length < LENGTH_PER_BATCH) continue;
    yield batch();
    seen(rows.length);
    rows = [];
    length = 0;
  }
  if (rows.length > 0) yield batch();
}

/** Bytes are values as well. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}

/** Reads lazily, from a whole body or from parts. The fields of `into` may have other types. */
async function* storedRows(collection: Collection, into: Collection, engine: Engine): AsyncGenerator<StoredRow> {
  const everything = planRead(collection, EMPTY_QUERY, { offset: 0 }, undefined);
  const { rows: total, parts } = await read(engine, everything, 'ndjson');
  let done = 0;
  for await (const line of lines(parts)) {
    const row = parseJson(line) as Row;
    yield into.fields.map(({ name, type }) => storeJson(type, type === TEXT ? textOf(row[name]) : row[name]));
    done++;
  }
  if (done !== total) throw new ConfigError(`only ${done} of ${amount(total)} could be read; nothing was stored`);
}

/** A value of another type as text. */
function textOf(value: Row[string] | undefined): unknown {
  return value === null || value === undefined || typeof value === 'string' ? value : jsonText(value);
}
