/** `catalogue import`: products from a CSV, JSON or NDJSON file, all of them or none, or all but the bad ones. */
import { ConfigError, DATA_SETTINGS, describeSettings, readCommand } from '../config.ts';
import { FILE_FORMATS, type FileFormat, formatOf, openSource } from '../declare/rows/source.ts';
import { LoadRefused, type LoadTerms } from '../engine/load.ts';
import { begin } from '../plan/begin.ts';
import { oneOf, onOrOff, setting, text } from '../settings/setting.ts';
import { MAX_VALUE_KB } from '../settings/writing.ts';
import { amount } from './amount.ts';
import type { Command } from './command.ts';
import { chosenCollection, isNew, withDatabase } from './database.ts';
import { readMapping } from './import/columns.ts';
import { Rejects, rejectsPath } from './import/rejects.ts';
import { type ImportResult, type Problem, runImport } from './import/run.ts';
import { JSON_OPTION } from './options.ts';
import { ProgressBar } from './progress.ts';

const ON_CONFLICT = ['fail', 'merge', 'ignore'] as const;
const CONFLICTS: Readonly<Record<(typeof ON_CONFLICT)[number], LoadTerms['onConflict']>> = {
  fail: 'refuse',
  merge: 'overwrite',
  ignore: 'keep',
};

const OPTIONS = {
  format: setting<FileFormat | undefined>({
    flag: '--format',
    argument: 'FORMAT',
    description: `${FILE_FORMATS.join(', ')}; without it the file's name tells`,
    byDefault: undefined,
    read: oneOf(FILE_FORMATS),
  }),
  delimiter: setting<string | undefined>({
    flag: '--delimiter',
    argument: 'SIGN',
    description: 'what divides the cells of a CSV file, such as ";" or tab; without it the first line tells',
    byDefault: undefined,
    read: delimiter,
  }),
  map: setting({
    flag: '--map',
    argument: '"COLUMN=FIELD"…',
    description: 'the field that a column of the file holds; "COLUMN=" leaves the column out; may be repeated',
    byDefault: '',
    read: text,
  }),
  collection: setting({
    flag: '--collection',
    argument: 'NAME',
    description: 'the collection to store into, where there are several',
    byDefault: '',
    read: text,
  }),
  onConflict: setting({
    flag: '--on-conflict',
    argument: 'WHAT',
    description: `what to do with a row whose key exists: ${ON_CONFLICT.join(', ')}`,
    byDefault: 'fail' as (typeof ON_CONFLICT)[number],
    read: oneOf(ON_CONFLICT),
  }),
  dryRun: setting({
    flag: '--dry-run',
    description: 'do all of it, say what would happen, and store nothing',
    byDefault: false,
    read: onOrOff,
  }),
  keepGoing: setting({
    flag: '--keep-going',
    description: 'store the good rows, and write the bad ones to a file',
    byDefault: false,
    read: onOrOff,
  }),
  rejects: setting({
    flag: '--rejects',
    argument: 'FILE',
    description: 'that file; by default NAME.rejected.csv or .ndjson beside the imported one',
    byDefault: '',
    read: text,
  }),
  ...JSON_OPTION,
  maxValueKb: MAX_VALUE_KB,
  ...DATA_SETTINGS,
} as const;

export const importProducts: Command = {
  name: 'import',
  summary: 'store the products of a CSV, JSON or NDJSON file',
  help: () => `Usage: catalogue import FILE [flags]        (FILE - is standard input)

Stores the products of a file: all of them in one transaction, or, where a row is bad, none. Every bad row is named with
its line, field and reason. A running service may use the database meanwhile.

The first line of a CSV file names its columns. An empty cell is no value: the field gets its default, and is null where
it has none; "" is an empty text, NULL is null. That holds for new products and with --on-conflict merge: an empty cell
there empties the field of the product that exists. To leave a field as it is, leave out its column, or --map "COLUMN=".
Cells are divided by commas; by semicolons or tabs where the first line has those and no comma, or where a line sep=;
stands before it. Then 12,50 is a number, too.

Exit codes: 0 all stored, 1 nothing stored, 2 stored but for the bad rows (--keep-going).

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values, operands } = readCommand(OPTIONS, args, env, 1);
    const [path] = operands;
    if (path === undefined) throw new ConfigError('say what to import: catalogue import FILE');
    const format = formatOf(path, values.format);
    const { catalogue } = await begin(values.collections, { maxValueBytes: values.maxValueKb * 1024 });
    const collection = chosenCollection(catalogue, values.collection);
    const mapping = readMapping(values.map, collection);
    if (values.delimiter !== undefined && format !== 'csv') throw new ConfigError('--delimiter is for CSV files');
    const source = openSource(path, format, values.delimiter);
    const rejects = values.keepGoing
      ? new Rejects(values.rejects || rejectsPath(path, format), format, source.delimiter)
      : undefined;
    const bar = new ProgressBar('Importing', source.size, process.stderr, 'bytes');
    const problems: Problem[] = [];
    const problem = (found: Problem) => {
      if (values.json) problems.push(found);
      else process.stderr.write(`${describe(found)}\n`);
    };
    try {
      const { result, target } = await withDatabase(values, false, async (engine) => ({
        target: { database: engine.location, isNew: isNew(engine, collection) },
        result: await runImport(engine, collection, source, {
          mapping,
          onConflict: CONFLICTS[values.onConflict],
          dryRun: values.dryRun,
          hasHeader: format === 'csv',
          rejects,
          problem,
          progress: () => bar.show(source.read()),
        }),
      }));
      bar.end();
      const file = rejects !== undefined && rejects.count > 0 ? { rejects: rejects.path } : {};
      const { dryRun } = values;
      if (values.json) console.log(JSON.stringify({ ok: true, dryRun, ...target, ...result, ...file, problems }));
      else console.log(summary(result, target, dryRun, rejects));
      return result.rejected > 0 ? 2 : 0;
    } catch (error) {
      bar.end();
      if (!(error instanceof LoadRefused)) throw error;
      if (values.json) console.log(JSON.stringify({ ok: false, error: 'nothing was stored', problems }));
      else process.stderr.write('catalogue: nothing was stored; mend the file, or store the rest with --keep-going\n');
      return 1;
    } finally {
      rejects?.close();
    }
  },
};

function describe({ line, field, reason }: Problem): string {
  return `line ${line}${field === undefined ? '' : `, ${field}`}: ${reason}`;
}

function delimiter(given: string, name: string): string {
  const sign = given === 'tab' || given === '\\t' ? '\t' : given;
  if (/^[^"\r\n]$/.test(sign)) return sign;
  throw new ConfigError(`${name} is one sign, such as ";", or tab; not ${given}`);
}

interface Target {
  readonly database: string;
  /** Whether it was not there before: a mistyped path shows itself by that. */
  readonly isNew: boolean;
}

function summary(result: ImportResult, target: Target, dryRun: boolean, rejects: Rejects | undefined): string {
  const { read, inserted, updated, ignored, rejected } = result;
  const parts = [`${inserted} new`, `${updated} changed`, ...(ignored > 0 ? [`${ignored} left unchanged`] : [])];
  const bad = rejected > 0 ? `; ${amount(rejected, 'bad row')} in ${rejects?.path}` : '';
  const into = target.isNew ? ` into a new catalogue in ${target.database}` : '';
  return `${dryRun ? 'Would import' : 'Imported'} ${amount(read - rejected)}${into}: ${parts.join(', ')}${bad}`;
}
