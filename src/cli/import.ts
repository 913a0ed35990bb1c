/** `catalogue import`: rows from a CSV, JSON or NDJSON file, all of them or none, or all but the bad ones. */
import { ConfigError, describeSettings, readCommand, type Values } from '../config.ts';
import { begin } from '../declare/begin.ts';
import { formatToRead, openSource, type Source } from '../declare/rows/source.ts';
import { databaseFiles } from '../engine/open.ts';
import { isSameFile } from '../written-file.ts';
import { amount } from './amount.ts';
import type { Command } from './command.ts';
import { chosenCollection, isNew, withDatabase } from './database.ts';
import { readMapping } from './import/columns.ts';
import { CONFLICTS, IMPORT_OPTIONS as OPTIONS } from './import/options.ts';
import { Rejects, rejectsPath } from './import/rejects.ts';
import { ImportRefused, type ImportResult, type Problem, runImport } from './import/run.ts';
import { checkOutput, openOutput } from './output.ts';
import { LoadBars } from './progress.ts';

/** Bad rows that are named; further ones are counted. */
const NAMED_PROBLEMS = 100;

export const command: Command = {
  help: () => `Usage: catalogue import FILE [flags]        (FILE - is standard input)

Stores the rows of a file: all of them in one transaction, or, where a row is bad, none. The first ${NAMED_PROBLEMS} bad rows are
named with their line, field and reason, and all are counted. A running service may use the database meanwhile.

The first line of a CSV file names its columns, as the fields are called or as people write them: "Order date" is
order_date. An empty cell is no value: the field is null, or gets its default if it cannot be null; "" is an empty
text, NULL is null. That holds for new rows and with --on-conflict merge: an empty cell there empties the field of
the row that exists. To leave a field as it is, leave out its column, or --map "COLUMN=".
Cells are divided by commas; by semicolons or tabs where the first line has those and no comma, or where a line sep=;
stands before it. Then 12,50 is a number, too. A file is read as UTF-8, or as UTF-16 if it begins so.

Exit codes: 0 all stored, 1 nothing stored, 2 stored but for the bad rows (--keep-going).

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values, operands } = readCommand(OPTIONS, args, env, 1);
    const [path] = operands;
    if (path === undefined) throw new ConfigError('say what to import: catalogue import FILE');
    const format = formatToRead(path, values.format);
    const { catalogue } = await begin(values.collections, { maxValueBytes: values.maxValueKb * 1024 });
    const collection = chosenCollection(catalogue, values.collection, '--collection NAME');
    const mapping = readMapping(values.map, collection);
    if (values.separator !== undefined && format !== 'csv') throw new ConfigError('--separator is for CSV files');
    const source = openSource(path, { ...values, format });
    const rejectsFile = values.keepGoing && !values.dryRun ? values.rejects || rejectsPath(path, format) : undefined;
    const rejects = rejectsFile === undefined ? undefined : rejectsTo(rejectsFile, { ...values, path, format, source });
    const bars = new LoadBars('Importing', source.size, 'bytes');
    const key = values.onConflict === 'fail' ? collection.key.map(({ name }) => name) : [];
    const problems = new Problems(values.json, key);
    try {
      const report = await withDatabase(values, 'by a load', async (engine) => ({
        database: engine.location,
        isNew: isNew(engine, collection),
        ...(await runImport(engine, collection, source, {
          mapping,
          onConflict: CONFLICTS[values.onConflict],
          dryRun: values.dryRun,
          hasHeader: format === 'csv',
          keepGoing: values.keepGoing,
          rejects,
          bad: problems.add,
          reading: () => bars.reading(source.read()),
          storing: bars.storing,
        })),
      }));
      rejects?.end();
      bars.end(true);
      const rejectsIn = report.rejected > 0 ? rejectsFile : undefined;
      tell({ ...report, blankLines: source.blankLines(), dryRun: values.dryRun, rejects: rejectsIn }, problems);
      return report.rejected > 0 ? 2 : 0;
    } catch (error) {
      rejects?.giveUp();
      bars.end(false);
      if (!(error instanceof ImportRefused)) throw error;
      tellRefusal(error, problems);
      return 1;
    }
  },
};

interface RejectsDemand extends Pick<Values<typeof OPTIONS>, 'force' | 'database'> {
  readonly path: string;
  readonly format: ReturnType<typeof formatToRead>;
  readonly source: Source;
}

function rejectsTo(file: string, { path, format, source, database, force }: RejectsDemand): Rejects {
  const terms = { replace: force, never: databaseFiles(database) };
  checkOutput(file, terms);
  if (isSameFile(file, path))
    throw new ConfigError(`${file} is the file that is imported; choose another for its bad rows`);
  return new Rejects(format, source, () => openOutput(file, terms));
}

/** Mistakes are told as they are met, or, to machines, with the result. */
class Problems {
  readonly list: Problem[] = [];
  private count = 0;
  private taken = 0;

  /** `key` is empty where it has been said what to do with such rows. */
  constructor(
    readonly isJson: boolean,
    private readonly key: readonly string[],
  ) {}

  /** What is wrong with one row. */
  readonly add = (found: readonly Problem[]) => {
    this.count++;
    if (found.every(({ code, field = '' }) => code === '23505' && this.key.includes(field))) this.taken++;
    if (this.count > NAMED_PROBLEMS) return;
    if (this.isJson) this.list.push(...found);
    else process.stderr.write(found.map((each) => `${describe(each)}\n`).join(''));
  };

  /** Whether nothing is wrong but that rows exist already, as where a file is imported again. */
  get areTaken(): boolean {
    return this.taken > 0 && this.taken === this.count;
  }

  /** How many were not named. */
  get rest(): number {
    return Math.max(0, this.count - NAMED_PROBLEMS);
  }
}

function describe({ line, field, reason }: Problem): string {
  return `line ${line}${field === undefined ? '' : `, ${field}`}: ${reason}`;
}

interface Report extends ImportResult {
  readonly database: string;
  /** Whether it was not there before: a mistyped path shows itself by that. */
  readonly isNew: boolean;
  /** Lines that hold nothing but separators. */
  readonly blankLines: number;
  readonly dryRun: boolean;
  readonly rejects: string | undefined;
}

function tell(report: Report, problems: Problems): void {
  if (problems.isJson) {
    console.log(JSON.stringify({ ok: true, ...report, problems: problems.list }));
    return;
  }
  tellRest(problems);
  const { read, inserted, updated, ignored, rejected } = report;
  const parts = [`${inserted} new`, `${updated} changed`, ...(ignored > 0 ? [`${ignored} left unchanged`] : [])];
  const where = report.rejects === undefined ? '' : ` in ${report.rejects}`;
  const bad = rejected > 0 ? `; ${amount(rejected, 'bad row')}${where}` : '';
  const blank = report.blankLines > 0 ? `; ${amount(report.blankLines, 'blank line')} left out` : '';
  const into = report.isNew ? ` into a new catalogue in ${report.database}` : '';
  const done = report.dryRun ? 'Would import' : 'Imported';
  console.log(`${done} ${amount(read - rejected)}${into}: ${parts.join(', ')}${bad}${blank}`);
}

function tellRefusal({ message, read, rejected }: ImportRefused, problems: Problems): void {
  if (problems.isJson) {
    console.log(JSON.stringify({ ok: false, error: message, read, rejected, problems: problems.list }));
    return;
  }
  tellRest(problems);
  const merging = problems.areTaken
    ? '; --on-conflict merge changes rows that exist, ignore leaves them as they are'
    : '';
  process.stderr.write(`catalogue: ${message}; mend the file, or store the rest with --keep-going${merging}\n`);
}

function tellRest({ rest }: Problems): void {
  if (rest > 0) process.stderr.write(`and ${amount(rest, 'bad row')} more\n`);
}
