/** `catalogue copy`: copies a catalogue between databases of any kind, and verifies the row counts. */

import { amount } from '../base/amount.ts';
import { ApiError } from '../base/errors.ts';
import { allReferences, type Catalogue, type Collection } from '../collection/declaration.ts';
import { parseJson } from '../collection/exact-json.ts';
import {
  CREDENTIALS,
  DELIVERIES,
  KEYS,
  USERS,
  VIEWS,
  WEBHOOK_TABLES,
  WEBHOOKS,
} from '../collection/own-collections.ts';
import type { Row } from '../collection/value.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import { parseQuery } from '../dialect/query.ts';
import type { CopiedLog, Engine } from '../engine/engine.ts';
import { foreignRows, storableCatalogue } from '../engine/open.ts';
import type { LoadBatch, RejectedRow } from '../engine/shared/loader.ts';
import { planRead } from '../plan/read/read.ts';
import type { StoredRow } from '../plan/write-plan.ts';
import { COPY_SETTINGS, ConfigError, type Values } from '../settings/by-command.ts';
import { defineCommand, JSON_OPTION, printResult } from './shared/command.ts';
import { filesIn, rowsWithFiles, type SourceRows } from './shared/copied-files.ts';
import { openSourceLog, storedRow } from './shared/copied-log.ts';
import { isNew, lines, read, rowCount, withDatabase } from './shared/database.ts';
import { LoadBars } from './shared/progress.ts';

const OPTIONS = { ...JSON_OPTION, ...COPY_SETTINGS } as const;
/** The maximum number of rows in one batch, and of characters in their texts. */
const ROWS_PER_BATCH = 1_000;
const LENGTH_PER_BATCH = 4_000_000;

export const command = defineCommand({
  options: OPTIONS,
  usage: `Usage: catalogue copy --from URL --to URL [flags]

Copies a catalogue from one database to another, between SQLite and PostgreSQL in either direction. Collections with a
log are read as of one moment, each other one as of its own; later writes are not copied. The target must be new or empty.
One transaction stores all rows: if the command is interrupted before its commit, the target has nothing. Uploaded files are
copied as well, to the target database, or to the place of --to-files. Keys, users and views of the console follow, and then
the log of changes with the progress of webhooks, each in a transaction of its own: if the command is interrupted meanwhile,
drop the target. Sessions are not copied, so users log in again.
--without-log leaves the log and the progress out. The source may be an SQLite file of another program, with the
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
          ...(await copyAll(catalogue, source, engine, settings.toFiles)),
        }),
        { loaded },
      );
    const report = await withSource(settings, copy);
    for (const note of notes) process.stderr.write(`${note}\n`);
    const { keys, users, views, changes, webhooks } = report;
    const others = [
      [keys, 'key'],
      [users, 'user'],
      [views, 'view'],
      [changes, 'change'],
      [webhooks, 'webhook'],
    ] as const;
    const also = others.flatMap(([count, name]) => (count === 0 ? [] : amount(count, name)));
    const words = [`Copied ${amount(report.rows)} from ${report.from} to ${report.to}; the counts agree.`];
    if (also.length > 0) words.push(`Also copied: ${also.join(', ')}.`);
    printResult(settings.json, report, ...words);
  },
});

interface Source extends SourceRows {
  count(collection: Collection): Promise<number>;
  /** The rows of a collection of the service that match, if it has some. */
  own?: (collection: Collection, filter: string) => Promise<AsyncIterable<StoredRow> | undefined>;
  /** The log of changes, for the collections of a target. */
  log?: (into: Catalogue) => Promise<CopiedLog>;
}

/** Collections of the service that a copy has as well, and the tables that are created with each. */
const OWN = {
  keys: [KEYS, CREDENTIALS],
  users: [USERS, CREDENTIALS],
  views: [VIEWS, [VIEWS]],
  webhooks: [WEBHOOKS, WEBHOOK_TABLES],
  deliveries: [DELIVERIES, WEBHOOK_TABLES],
} as const;

async function withSource<T>(
  settings: Values<typeof OPTIONS>,
  work: (source: Source, location: string) => Promise<T>,
): Promise<T> {
  const foreign = await foreignRows(settings.from);
  if (foreign !== undefined) return work(foreign, settings.from);
  return withDatabase({ ...settings, database: settings.from }, 'never', async (engine, catalogue) => {
    const log = settings.withoutLog ? undefined : await openSourceLog(engine, catalogue);
    const source: Source = {
      ...filesIn(engine, catalogue),
      rows: (each) => {
        const from = catalogue.collections.get(each.name) ?? each;
        return storedRows(from, each, engine, log?.begins.has(from) ? log.position : undefined);
      },
      count: (each) => rowCount(engine, each),
      own: async (each, filter) => {
        const hasTable = await engine.ownTables([each], { make: false });
        return hasTable ? storedRows(each, each, engine, undefined, filter) : undefined;
      },
      ...(log === undefined ? {} : { log: (into) => log.copyFor(into) }),
    };
    return work(source, engine.location);
  });
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

interface Copied {
  readonly rows: number;
  readonly keys: number;
  readonly users: number;
  readonly views: number;
  readonly changes: number;
  readonly webhooks: number;
}

async function copyAll(catalogue: Catalogue, source: Source, target: Engine, toFiles: string): Promise<Copied> {
  const collections = byDependency(catalogue);
  let present = 0;
  let total = 0;
  for (const collection of collections) {
    if (!isNew(target, collection)) present += await rowCount(target, collection);
    total += await source.count(collection);
  }
  if (present > 0) {
    throw new ConfigError(
      `the target ${target.location} holds ${amount(present)} already, perhaps of an interrupted copy. Copy to an empty database`,
    );
  }
  const hasTables = !collections.every((each) => isNew(target, each));
  if (source.log !== undefined && hasTables && ((await target.log?.position())?.seq ?? 0) > 0) {
    throw new ConfigError(`the target ${target.location} has a log of changes already. Use --without-log`);
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
  const own = async (name: keyof typeof OWN, filter = ''): Promise<number> => {
    const [into, tables] = OWN[name];
    const rows = await source.own?.(into, filter);
    if (rows === undefined) return 0;
    await target.ownTables(tables, { make: true });
    const sets = [{ into, batches: batches(into, rows, () => undefined) }];
    return (await target.load(sets, { ...options, onConflict: 'keep' })).inserted;
  };
  const counts = { rows: inserted, keys: await own('keys'), users: await own('users'), views: await own('views') };
  if (source.log === undefined || target.log === undefined) return { ...counts, changes: 0, webhooks: 0 };
  const log = await source.log(catalogue);
  const changes = await target.loadLog(log);
  // A webhook that was already beyond the moment of the copy begins at the end of the copied log.
  const known = `seq=lte.${log.position}`;
  await own('deliveries', known);
  return { ...counts, changes, webhooks: await own('webhooks', `${known}&name=neq.`) };
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
async function* storedRows(
  collection: Collection,
  into: Collection,
  engine: Engine,
  asOf?: number,
  filter = '',
): AsyncGenerator<StoredRow> {
  const plan = planRead(collection, parseQuery(filter), { offset: 0 }, undefined);
  const { rows: total, parts } = await read(engine, plan, 'ndjson', {}, { asOf });
  let done = 0;
  for await (const line of lines(parts)) {
    yield storedRow(into, parseJson(line) as Row);
    done++;
  }
  if (done !== total) throw new ConfigError(`only ${done} of ${amount(total)} could be read; nothing was stored`);
}
