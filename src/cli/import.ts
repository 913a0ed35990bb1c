/** `catalogue import`: stores the rows of a CSV, JSON or NDJSON file: all or none, or all valid ones. */

import { amount } from '../base/amount.ts';
import { isSameFile } from '../base/files/output-file.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import { formatToRead, openSource, type Source } from '../declare/rows/source.ts';
import { databaseFiles } from '../engine/open.ts';
import type { Origin } from '../plan/types.ts';
import { ConfigError, describeSettings, readCommand, type Values } from '../settings/by-command.ts';
import { readMapping } from './import/columns.ts';
import { CONFLICTS, IMPORT_OPTIONS as OPTIONS } from './import/options.ts';
import { Rejects, rejectsPath } from './import/rejects.ts';
import { ImportRefused, type ImportResult, type Problem, runImport } from './import/run.ts';
import type { Command } from './shared/command.ts';
import { chosenCollection, isNew, withDatabase } from './shared/database.ts';
import { checkOutput, openOutput } from './shared/output.ts';
import { LoadBars } from './shared/progress.ts';

/** Bad rows that are reported one by one; further ones are counted. */
const NAMED_PROBLEMS = 100;

export const command: Command = {
  help: () => `Usage: catalogue import FILE [flags]        (FILE - is standard input)

Stores all rows of a file in one transaction, or none if a row is bad. Reports the first ${NAMED_PROBLEMS} bad rows with their line,
field and reason, and counts all. A running service may use the database meanwhile.

The first line of a CSV file names its columns, as the fields are called or as people write them: "Order date" is
order_date. An empty cell is no value: the field is null, or gets its default if it cannot be null; "" is an empty
text, NULL is null. That holds for new rows and with --on-conflict merge: an empty cell there empties the field of
the row that exists. To leave a field as it is, leave out its column, or --map "COLUMN=".
Commas separate the cells; semicolons or tabs do if the first line has those and no comma, or after a line sep=;. Then
12,50 is also a number. A file is UTF-8, or UTF-16 if it begins like that.

Exit codes: 0 all stored, 1 nothing stored, 2 all stored except bad rows (--keep-going).

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values, operands } = readCommand(OPTIONS, args, env, 1);
    const [path] = operands;
    if (path === undefined) throw new ConfigError('no file is given. Use: catalogue import FILE');
    const format = formatToRead(path, values.format);
    const { catalogue } = await loadCatalogue(values.collections, { maxValueBytes: values.maxValueKb * 1024 });
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
          origin: values.noHistory ? 'silent' : newOrigin(),
          rejects,
          bad: problems.add,
          reading: () => bars.reading(source.read()),
          storing: bars.storing,
        })),
      }));
      rejects?.end();
      bars.end(true);
      const rejectsIn = report.rejected > 0 ? rejectsFile : undefined;
      print({ ...report, blankLines: source.blankLines(), dryRun: values.dryRun, rejects: rejectsIn }, problems);
      return report.rejected > 0 ? 2 : 0;
    } catch (error) {
      rejects?.discard();
      bars.end(false);
      if (!(error instanceof ImportRefused)) throw error;
      printRefusal(error, problems);
      return 1;
    }
  },
};

/** All changes of one import have the same request id in the log of changes. */
function newOrigin(): Origin {
  return { actor: 'catalogue import', request: `import-${Date.now().toString(36)}-${process.pid.toString(36)}` };
}

interface RejectsOptions extends Pick<Values<typeof OPTIONS>, 'force' | 'database'> {
  readonly path: string;
  readonly format: ReturnType<typeof formatToRead>;
  readonly source: Source;
}

function rejectsTo(file: string, { path, format, source, database, force }: RejectsOptions): Rejects {
  const terms = { replace: force, protectedFiles: databaseFiles(database) };
  checkOutput(file, terms);
  if (isSameFile(file, path))
    throw new ConfigError(`${file} is the imported file. Choose another file for its bad rows with --rejects`);
  return new Rejects(format, source, () => openOutput(file, terms));
}

/** Reports mistakes as they occur, or with the result if --json is given. */
class Problems {
  readonly list: Problem[] = [];
  private count = 0;
  private taken = 0;

  /** `key` is empty if --on-conflict handles existing rows. */
  constructor(
    readonly isJson: boolean,
    private readonly key: readonly string[],
  ) {}

  /** Adds the problems of one row. */
  readonly add = (found: readonly Problem[]) => {
    this.count++;
    if (found.every(({ code, field = '' }) => code === '23505' && this.key.includes(field))) this.taken++;
    if (this.count > NAMED_PROBLEMS) return;
    if (this.isJson) this.list.push(...found);
    else process.stderr.write(found.map((each) => `${describe(each)}\n`).join(''));
  };

  /** Whether existing keys are the only problem, e.g. because the file is imported again. */
  get areTaken(): boolean {
    return this.taken > 0 && this.taken === this.count;
  }

  /** The number of bad rows that were not reported. */
  get rest(): number {
    return Math.max(0, this.count - NAMED_PROBLEMS);
  }
}

function describe({ line, field, reason }: Problem): string {
  return `line ${line}${field === undefined ? '' : `, ${field}`}: ${reason}`;
}

interface Report extends ImportResult {
  readonly database: string;
  /** Whether the database is new: this reveals a mistyped path. */
  readonly isNew: boolean;
  /** Lines that hold nothing but separators. */
  readonly blankLines: number;
  readonly dryRun: boolean;
  readonly rejects: string | undefined;
}

function print(report: Report, problems: Problems): void {
  if (problems.isJson) {
    console.log(JSON.stringify({ ok: true, ...report, problems: problems.list }));
    return;
  }
  printRest(problems);
  const { read, inserted, updated, ignored, rejected } = report;
  const parts = [`${inserted} new`, `${updated} changed`, ...(ignored > 0 ? [`${ignored} left unchanged`] : [])];
  const where = report.rejects === undefined ? '' : ` in ${report.rejects}`;
  const bad = rejected > 0 ? `; ${amount(rejected, 'bad row')}${where}` : '';
  const blank = report.blankLines > 0 ? `; ${amount(report.blankLines, 'blank line')} left out` : '';
  const into = report.isNew ? ` into a new catalogue in ${report.database}` : '';
  const done = report.dryRun ? 'Would import' : 'Imported';
  console.log(`${done} ${amount(read - rejected)}${into}: ${parts.join(', ')}${bad}${blank}`);
}

function printRefusal({ message, read, rejected }: ImportRefused, problems: Problems): void {
  if (problems.isJson) {
    console.log(JSON.stringify({ ok: false, error: message, read, rejected, problems: problems.list }));
    return;
  }
  printRest(problems);
  const merging = problems.areTaken
    ? '; --on-conflict merge changes rows that exist, ignore leaves them as they are'
    : '';
  process.stderr.write(`catalogue: ${message}; fix the file, or store the other rows with --keep-going${merging}\n`);
}

function printRest({ rest }: Problems): void {
  if (rest > 0) process.stderr.write(`and ${amount(rest, 'bad row')} more\n`);
}
