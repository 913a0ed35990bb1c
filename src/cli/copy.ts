/** `catalogue copy`: moves a catalogue from one database to another, of whatever kind, and checks that all of it arrived. */

import type { Catalogue, Collection } from '../collection/declaration.ts';
import { parseJson } from '../collection/exact-json.ts';
import { storeJson } from '../collection/types/type.ts';
import type { Row } from '../collection/value.ts';
import { COPY_SETTINGS, ConfigError, describeSettings, readSettings } from '../config.ts';
import { EMPTY_QUERY } from '../dialect/query.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { Engine, ReadResult } from '../engine/engine.ts';
import { openEngine } from '../engine/open.ts';
import { begin } from '../plan/begin.ts';
import { NO_ROWS } from '../plan/first-rows.ts';
import { planRead } from '../plan/read.ts';
import type { InsertPlan } from '../plan/types.ts';
import { amount } from './amount.ts';
import type { Command } from './command.ts';
import { JSON_OPTION } from './options.ts';
import { ProgressBar } from './progress.ts';
import { partsOf } from './reading.ts';
import { isReady } from './ready.ts';

const OPTIONS = { ...JSON_OPTION, ...COPY_SETTINGS } as const;
/** Rows that are stored in one write. */
const ROWS_PER_WRITE = 1_000;

export const copy: Command = {
  name: 'copy',
  summary: 'copy a catalogue to another database',
  help: () => `Usage: catalogue copy --from URL --to URL [flags]

Copies all products from one database to another, between SQLite and PostgreSQL in either direction. The products are
read as of one moment; writes that come to the source meanwhile are not copied. The target must be new or empty.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const settings = readSettings(OPTIONS, args, env);
    const { from, to, schema, toSchema } = settings;
    if (from === '' || to === '') throw new ConfigError('say both: catalogue copy --from URL --to URL');
    const { catalogue } = await begin(settings.collections);
    const options = { catalogue, firstRows: NO_ROWS, ...settings };
    const source = openEngine(from, options);
    try {
      const target = openEngine(to, { ...options, schema: toSchema === '' ? schema : toSchema });
      try {
        let copied = 0;
        for (const collection of inOrder(catalogue)) copied += await copyRows(source, target, collection);
        const { location } = target;
        if (settings.json) console.log(JSON.stringify({ ok: true, from: source.location, to: location, rows: copied }));
        else console.log(`Copied ${amount(copied)} from ${source.location} to ${location}; the counts agree.`);
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
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
async function copyRows(source: Engine, target: Engine, collection: Collection): Promise<number> {
  await isReady(source, collection);
  const present = await isReady(target, collection);
  if (present > 0) {
    throw new ConfigError(`the target ${target.location} holds ${amount(present)} already; copy to an empty one`);
  }
  const encoding = ndjsonOf(collection);
  const result = await source.read(planRead(collection, EMPTY_QUERY, { offset: 0 }, 'exact'), encoding);
  const total = result.total ?? 0;
  const progress = new ProgressBar('Copying', total, process.stderr);
  let done = 0;
  for await (const rows of batches(result)) {
    await target.write(insertPlan(collection, rows), encoding);
    done += rows.length;
    progress.show(done);
  }
  progress.end();
  const arrived = await isReady(target, collection);
  if (arrived !== total) {
    throw new ConfigError(`read ${amount(total)} from ${source.location}, and found ${arrived} in ${target.location}`);
  }
  return total;
}

function ndjsonOf({ fields }: Collection): Encoding {
  return { format: 'ndjson', stripNulls: false, columns: fields.map((field) => field.name) };
}

/** The rows of a result a few at a time, whether they came at once or come in parts. */
async function* batches(result: ReadResult): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  for await (const line of lines(result)) {
    rows.push(parseJson(line) as Row);
    if (rows.length < ROWS_PER_WRITE) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

async function* lines(result: ReadResult): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const text of texts(result, decoder)) {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}

async function* texts(result: ReadResult, decoder: TextDecoder): AsyncGenerator<string> {
  for await (const part of partsOf(result)) {
    yield typeof part === 'string' ? part : decoder.decode(part, { stream: true });
  }
}

function insertPlan(into: Collection, rows: readonly Row[]): InsertPlan {
  return {
    kind: 'insert',
    into,
    rows: rows.map((row) => into.fields.map((field) => storeJson(field.type, row[field.name]))),
    conflict: 'refuse',
    singular: false,
    mustExist: false,
    dryRun: false,
  };
}
