/** `catalogue import`: stores the rows of a CSV, JSON or NDJSON file: all or none, or all valid ones. */

import { amount } from '../base/amount.ts';
import { ApiError, onError } from '../base/errors.ts';
import { isSameFile } from '../base/files/output-file.ts';
import { MAX_FILE_BYTES } from '../base/limits/files.ts';
import { type Collection, type Field, uniqueSets } from '../collection/declaration.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import { formatToRead, openSource, type Source } from '../declare/rows/source.ts';
import type { Engine } from '../engine/engine.ts';
import { databaseFiles } from '../engine/open.ts';
import type { LoadOptions } from '../engine/shared/loader.ts';
import { fieldFromHeader } from '../import/headers.ts';
import { conflictTarget } from '../plan/write/insert.ts';
import type { Origin } from '../plan/write-plan.ts';
import { ConfigError, type Values } from '../settings/by-command.ts';
import { readMapping } from './import/columns.ts';
import { MODES, IMPORT_OPTIONS as OPTIONS } from './import/options.ts';
import { Problems } from './import/problems.ts';
import { Rejects, rejectsPath } from './import/rejects.ts';
import { readResolvers } from './import/resolve.ts';
import { ImportRefused, type ImportResult, runImport } from './import/run.ts';
import { uploaders } from './import/uploaded-files.ts';
import { checkOutput, defineCommand, openOutput } from './shared/command.ts';
import { chosenCollection, isNew, withDatabase } from './shared/database.ts';
import { LoadBars } from './shared/progress.ts';
import { renderTable } from './shared/table.ts';

export const command = defineCommand({
  options: OPTIONS,
  operands: 1,
  usage: `Usage: catalogue import FILE [flags]        (FILE - is standard input)

Stores all rows of a file in one transaction, or none if a row is bad. Reports bad rows with their line, field and
reason, the same reason once, and ends with a table of the results. A running service may use the database meanwhile.

The first line of a CSV file names its columns, as the fields are called or as people write them: "Order date" is
order_date. An empty cell gives no value: a field of a new row is null, or gets its default if it cannot be null; a row
that exists keeps its value, unless --clear-empty is given. "" is an empty text, NULL is null.
Commas separate the cells; semicolons or tabs do if the first line has those and no comma, or after a line sep=;.
12,50 and 1.299,00 are also numbers, and 31.12.2026 is a date: the cells of a column show its notation. A file is
UTF-8, or UTF-16 if it begins like that.

A nightly file of prices by sku: catalogue import prices.csv --mode update --match sku --keep-going
It needs only the columns to match and to change. A row that equals the stored one is not written.

Exit codes: 0 all stored, 1 nothing stored, 2 all stored except bad rows (--keep-going).`,
  async run({ values, operands: [path] }) {
    if (path === undefined) throw new ConfigError('no file is given. Use: catalogue import FILE');
    const format = formatToRead(path, values.format);
    const loaded = await loadCatalogue(values.collections, {
      withRows: true,
      maxValueBytes: values.maxValueKb * 1024,
    });
    const collection = chosenCollection(loaded.catalogue, values.collection, '--collection NAME');
    if (values.only !== undefined && values.ignored.length > 0)
      throw new ConfigError('--only-columns and --ignore-columns exclude each other. Use one of them');
    const onConflict = MODES[values.mode];
    const match = readMatch(values.match, collection, onConflict);
    const isMatched = values.match.length > 0 || onConflict === 'update';
    if (values.files !== '' && values.dryRun)
      throw new ConfigError('--dry-run stores nothing, and --files uploads. Use one of them');
    const uploads = { catalogue: loaded.catalogue, folder: values.files, ...UPLOAD_LIMITS };
    const options = {
      ...values,
      match,
      mapping: readMapping(values.map, collection),
      resolvers: new Map([
        ...readResolvers(values.resolve, collection),
        ...(values.files === '' ? [] : uploaders(collection, uploads)),
      ]),
      onConflict,
      needed: isMatched ? match : [],
      hasHeader: format === 'csv',
    };
    if (values.separator !== undefined && format !== 'csv') throw new ConfigError('--separator is for CSV files');
    const open = () => openSource(path, { ...values, format });
    const source = open();
    const rejectsFile = values.keepGoing && !values.dryRun ? values.rejects || rejectsPath(path, format) : undefined;
    const rejects = rejectsFile === undefined ? undefined : rejectsTo(rejectsFile, { ...values, path, format, source });
    const bars = new LoadBars('Importing', source.size, 'bytes');
    const problems = new Problems(onConflict === 'refuse' ? collection.key.map(({ name }) => name) : []);
    try {
      const importInto = async (engine: Engine) => ({
        database: engine.location,
        isNew: isNew(engine, collection),
        ...(await runImport(engine, collection, source, {
          ...options,
          origin: values.noHistory ? 'silent' : newOrigin(),
          firstPass: format === 'csv' && source.size !== undefined ? open : undefined,
          rejects,
          bad: problems.add,
          reading: () => bars.reading(source.read()),
          storing: bars.storing,
        })),
      });
      const creation = values.dryRun ? 'dry run' : values.files === '' ? 'by a load' : 'at once';
      const report = await withDatabase(values, creation, importInto, {
        loaded,
        // The reference products are only for a service that starts without data.
        withRows: loaded.isDeclared,
      });
      rejects?.end();
      bars.end(true);
      const rejectsIn = report.rejected > 0 ? rejectsFile : undefined;
      const { dryRun, json } = values;
      printReport({ ...report, blankLines: source.blankLines(), dryRun, rejects: rejectsIn }, problems, json);
      return report.rejected > 0 ? 2 : 0;
    } catch (error) {
      rejects?.discard();
      bars.end(false);
      if (!(error instanceof ImportRefused)) throw error;
      printRefusal(error, problems, values.json);
      return 1;
    }
  },
});

/** A command may store files of any size. */
const UPLOAD_LIMITS = { maxFileBytes: MAX_FILE_BYTES, maxTotalBytes: 0 };

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

/** The unique fields of --match, or the key. */
function readMatch(
  names: readonly string[],
  collection: Collection,
  onConflict: LoadOptions['onConflict'],
): readonly Field[] {
  if (names.length === 0) {
    if (collection.key.length > 0 || onConflict === 'refuse') return collection.key;
    throw new ConfigError(`${collection.name} has no key: name unique fields with --match, or use --mode insert`);
  }
  if (onConflict === 'refuse') throw new ConfigError('--match needs --mode upsert, update or ignore');
  const fields = names.map((name) => fieldFromHeader(collection.fields, name)?.name ?? name);
  const find = () => conflictTarget(collection, fields);
  return onError(ApiError, find, () => {
    const choices = uniqueSets(collection).map((fields) => fields.map(({ name }) => name).join(','));
    throw new ConfigError(`--match ${names.join(',')}: not a unique field. Unique here: ${choices.join('; ')}`);
  });
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

function printReport(report: Report, problems: Problems, isJson: boolean): void {
  if (isJson) {
    console.log(JSON.stringify({ ok: true, ...report, problems: problems.list }));
    return;
  }
  process.stderr.write(problems.print());
  const { read, inserted, updated, ignored: unchanged, rejected } = report;
  const into = report.isNew ? ` into a new catalogue in ${report.database}` : '';
  const results = { inserted, updated, unchanged, rejected };
  const lines = [
    `${report.dryRun ? 'Would import' : 'Imported'} ${amount(read - rejected)}${into}`,
    renderTable(Object.keys(results), [results]).trimEnd(),
    ...(report.rejects === undefined ? [] : [`The rejected rows are in ${report.rejects}`]),
    ...(report.blankLines > 0 ? [`${amount(report.blankLines, 'blank line')} left out`] : []),
  ];
  console.log(lines.join('\n'));
}

function printRefusal({ message, read, rejected }: ImportRefused, problems: Problems, isJson: boolean): void {
  if (isJson) {
    console.log(JSON.stringify({ ok: false, error: message, read, rejected, problems: problems.list }));
    return;
  }
  const advice = problems.areTaken ? '; --mode upsert changes rows that exist, --mode ignore skips them' : '';
  process.stderr.write(
    `${problems.print()}catalogue: ${message}; fix the file, or store the other rows with --keep-going${advice}\n`,
  );
}
