/** `catalogue copy`: moves a catalogue from one database to another, of whatever kind, and checks that all of it arrived. */
import type { Collection } from '../collection/declaration.ts';
import { products } from '../collection/products.ts';
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
import { planOf, read } from './reading.ts';
import { isReady } from './ready.ts';

const OPTIONS = { ...JSON_OPTION, ...COPY_SETTINGS } as const;
/** Rows that are handed on together. */
const ROWS_PER_BATCH = 1_000;

export const copy: Command = {
  name: 'copy',
  summary: 'copy a catalogue to another database',
  help: () => `Usage: catalogue copy --from URL --to URL [flags]

Copies all products from one database to another, between SQLite and PostgreSQL in either direction. The products are
read as of one moment; writes that come to the source meanwhile are not copied. The target must be new or empty. All of
it is stored in one transaction: a copy that is interrupted has stored nothing, and can be run again.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const settings = readSettings(OPTIONS, args, env);
    const { from, to, schema, toSchema } = settings;
    if (from === '' || to === '') throw new ConfigError('say both: catalogue copy --from URL --to URL');
    const target = { ...settings, database: to, schema: toSchema === '' ? schema : toSchema };
    const report = await withDatabase({ ...settings, database: from }, 'never', (source) =>
      withDatabase(target, 'by a load', async (engine) => ({
        from: source.location,
        to: engine.location,
        rows: await copyRows(products, source, engine),
      })),
    );
    if (settings.json) console.log(JSON.stringify({ ok: true, ...report }));
    else console.log(`Copied ${amount(report.rows)} from ${report.from} to ${report.to}; the counts agree.`);
  },
};

/** Resolves to how many there are. */
async function copyRows(collection: Collection, source: Engine, target: Engine): Promise<number> {
  const present = isNew(target) ? 0 : await isReady(target);
  if (present > 0) {
    throw new ConfigError(`the target ${target.location} holds ${amount(present)} already; copy to an empty one`);
  }
  const { rows: total, parts } = await read(source, planOf(collection, ''), 'ndjson');
  const bars = new LoadBars('Copying', total, 'products');
  const { inserted } = await target.load(batches(collection, parts, total, bars), {
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
    const row = JSON.parse(line) as Row;
    rows.push(fields.map((field) => row[field.name] as StoredRow[number]));
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
