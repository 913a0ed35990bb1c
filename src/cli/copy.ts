/** `catalogue copy`: moves a catalogue from one database to another, of whatever kind, and checks that all of it arrived. */

import type { Catalogue, Collection } from '../collection/declaration.ts';
import { parseJson } from '../collection/exact-json.ts';
import { storeJson } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';
import { COPY_SETTINGS, ConfigError, describeSettings, readSettings } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import type { LoadBatch, RefusedRow } from '../engine/load.ts';
import type { StoredRow } from '../plan/types.ts';
import { amount } from './amount.ts';
import type { Command } from './command.ts';
import { isNew, withDatabase } from './database.ts';
import { JSON_OPTION } from './options.ts';
import { LoadBars } from './progress.ts';
import { planOf, type Reading, read } from './reading.ts';
import { isReady } from './ready.ts';

const OPTIONS = { ...JSON_OPTION, ...COPY_SETTINGS } as const;
/** Rows that are handed on together. */
const ROWS_PER_BATCH = 1_000;

export const copy: Command = {
  name: 'copy',
  summary: 'copy a catalogue to another database',
  help: () => `Usage: catalogue copy --from URL --to URL [flags]

Copies all products from one database to another, between SQLite and PostgreSQL in either direction. The products are
read as of one moment; writes that come to the source meanwhile are not copied. The target must be new or empty. A
collection is stored in one transaction. A copy to a new file that is interrupted has stored nothing, and can be run again.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const settings = readSettings(OPTIONS, args, env);
    const { from, to, schema, toSchema } = settings;
    if (from === '' || to === '') throw new ConfigError('say both: catalogue copy --from URL --to URL');
    const target = { ...settings, database: to, schema: toSchema === '' ? schema : toSchema };
    const report = await withDatabase({ ...settings, database: from }, 'never', (source, catalogue) =>
      withDatabase(target, 'by a load', async (engine) => ({
        from: source.location,
        to: engine.location,
        rows: await copyAll(catalogue, source, engine),
      })),
    );
    if (settings.json) console.log(JSON.stringify({ ok: true, ...report }));
    else console.log(`Copied ${amount(report.rows)} from ${report.from} to ${report.to}; the counts agree.`);
  },
};

/** What is referred to before what refers to it; a circle begins anywhere. */
function inOrder({ collections }: Catalogue): Collection[] {
  const ordered = new Set<Collection>();
  const add = (collection: Collection, way: readonly Collection[]) => {
    if (ordered.has(collection) || way.includes(collection)) return;
    for (const { to } of collection.references) add(collections.get(to)!, [...way, collection]);
    ordered.add(collection);
  };
  for (const collection of collections.values()) add(collection, []);
  return [...ordered];
}

/** Resolves to how many there are. */
async function copyAll(catalogue: Catalogue, source: Engine, target: Engine): Promise<number> {
  const collections = inOrder(catalogue);
  for (const collection of collections) await checkEmpty(collection, target);
  let copied = 0;
  for (const collection of collections) {
    const reading = await read(source, planOf(catalogue, collection.name), 'ndjson');
    copied += await copyRows(collection, reading, target);
  }
  return copied;
}

async function checkEmpty(collection: Collection, target: Engine): Promise<void> {
  const present = isNew(target, collection) ? 0 : await isReady(target, collection);
  if (present > 0) {
    throw new ConfigError(`the target ${target.location} holds ${amount(present)} already; copy to an empty one`);
  }
}

async function copyRows(collection: Collection, { rows: total, parts }: Reading, target: Engine): Promise<number> {
  const bars = new LoadBars('Copying', total, 'rows');
  const { inserted } = await target.load(collection, batches(collection, parts, total, bars), {
    onConflict: 'refuse',
    dryRun: false,
    refused,
    goesOn: () => true,
    progress: bars.storing,
  });
  bars.end(true);
  return inserted;
}

/** Another process stores in the target, too. */
function refused({ refusal }: RefusedRow): never {
  throw refusal;
}

/** The rows a few at a time, whether they came at once or come in parts. */
async function* batches(
  collection: Collection,
  parts: AsyncIterable<string | Uint8Array>,
  total: number,
  bars: LoadBars,
): AsyncGenerator<LoadBatch> {
  const { fields } = collection;
  let done = 0;
  let rows: StoredRow[] = [];
  const batch = () => ({ places: rows.map((_row, index) => done - rows.length + index + 1), rows, given: fields });
  for await (const line of lines(parts)) {
    const row = parseJson(line) as Row;
    rows.push(fields.map((field) => storeJson(field.type, row[field.name])));
    done++;
    if (rows.length < ROWS_PER_BATCH) continue;
    yield batch();
    rows = [];
    bars.reading(done);
  }
  if (rows.length > 0) yield batch();
  if (done !== total) throw new ConfigError(`only ${done} of ${amount(total)} could be read; nothing was stored`);
}

async function* lines(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const text = rest + (typeof part === 'string' ? part : decoder.decode(part, { stream: true }));
    const whole = text.split('\n');
    rest = whole.pop() ?? '';
    yield* whole;
  }
  if (rest !== '') yield rest;
}
