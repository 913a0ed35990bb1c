/** `catalogue export`: writes rows as CSV, JSON, NDJSON or a workbook, selected by the query string of the API. */

import { amount } from '../base/amount.ts';
import type { WriteOptions } from '../base/files/output-file.ts';
import { products } from '../collection/products.ts';
import { formatToWrite, WRITTEN_FORMATS, type WrittenFormat } from '../declare/rows/source.ts';
import type { CsvForm } from '../encode/csv.ts';
import { checkSheetRows } from '../encode/workbook.ts';
import { packWorkbook } from '../encode/zip.ts';
import { databaseFiles } from '../engine/open.ts';
import type { ReadPlan } from '../plan/types.ts';
import { inputsOf, numericColumns } from '../response/body.ts';
import { ConfigError, DATA_SETTINGS } from '../settings/by-command.ts';
import { oneOf, option } from '../settings/setting.ts';
import { separator } from './import/options.ts';
import {
  checkOutput,
  defineCommand,
  FORCE_OPTION,
  JSON_OPTION,
  openOutput,
  PipeClosed,
  STANDARD_OUTPUT,
} from './shared/command.ts';
import { planOf, read, withDatabase } from './shared/database.ts';
import { checkFolder, readWithFiles } from './shared/exported-files.ts';
import { withProgress } from './shared/progress.ts';

const OPTIONS = {
  format: option<WrittenFormat | undefined>(
    `--format FORMAT: ${WRITTEN_FORMATS.join(', ')}; by default the ending of --output, or csv on standard output`,
    undefined,
    oneOf(WRITTEN_FORMATS),
  ),
  output: option(
    '--output FILE: file to write, which appears when it is complete; - is standard output',
    STANDARD_OUTPUT,
  ),
  bom: option('--bom: begin CSV with a byte order mark, so that spreadsheets recognize UTF-8'),
  spreadsheet: option(
    "--spreadsheet: write CSV for a spreadsheet: with --bom, and with ' before a text that would be a formula",
  ),
  separator: option<string | undefined>(
    '--separator SIGN: character between the cells of CSV, such as ";" or tab; by default a comma, and a tab for a file *.tsv',
    undefined,
    separator,
    { aliases: ['--delimiter'] },
  ),
  decimalComma: option('--decimal-comma: write numbers in CSV with a decimal comma'),
  files: option(
    '--files DIR: folder to write the files of file fields into; their columns then have names, as import --files reads them',
    '',
  ),
  ...FORCE_OPTION,
  ...JSON_OPTION,
  ...DATA_SETTINGS,
} as const;

const key = products.key[0]!;
const EXAMPLE = `${key.name}=lt.100&order=${key.name}.desc`;

export const command = defineCommand({
  options: OPTIONS,
  operands: 1,
  usage: `Usage: catalogue export [QUERY] [flags]

Writes a consistent snapshot of all rows, or of the rows of a query: the query string of the API, such as
'${EXAMPLE}'. A running service may use the database meanwhile. With --json, the summary
goes to standard error if the rows go to standard output.`,
  async run({ values, operands }) {
    const toStandardOutput = values.output === STANDARD_OUTPUT;
    const format = toStandardOutput ? (values.format ?? 'csv') : formatToWrite(values.output, values.format);
    const isForCsv = values.bom || values.spreadsheet || values.decimalComma || values.separator !== undefined;
    if (isForCsv && format !== 'csv') {
      throw new ConfigError('--bom, --spreadsheet, --separator and --decimal-comma are for CSV');
    }
    const form = {
      bom: values.bom || values.spreadsheet,
      noFormulas: values.spreadsheet,
      separator: values.separator ?? (values.output.endsWith('.tsv') ? '\t' : ','),
    };
    const formOf = ({ columns }: ReadPlan): CsvForm =>
      values.decimalComma ? { ...form, decimalCommas: numericColumns(columns) } : form;
    if (values.files !== '' && format === 'xlsx') throw new ConfigError('--files is for csv, json and ndjson');
    const options = { replace: values.force, protectedFiles: databaseFiles(values.database) };
    checkOutput(values.output, options);
    if (values.files !== '') checkFolder(values.files, values.force);
    try {
      const { rows, bytes } = await withDatabase(values, 'never', async (engine, catalogue) => {
        const plan = planOf(catalogue, operands[0] ?? '');
        if (format === 'xlsx') {
          const { rows, parts } = await read(engine, plan, format, {}, { inputs: inputsOf(plan.columns) });
          checkSheetRows(rows);
          return { rows, bytes: await writeParts(packWorkbook(parts), values.output, options) };
        }
        const { rows, parts } =
          values.files === ''
            ? await read(engine, plan, format, formOf(plan))
            : await readWithFiles(engine, catalogue, plan, format, formOf(plan), values.files);
        return { rows, bytes: await writeParts(withLineEnd(parts, format), values.output, options) };
      });
      const summary = values.json
        ? JSON.stringify({ ok: true, rows, bytes })
        : `Exported ${amount(rows)} to ${values.output}`;
      if (!toStandardOutput) console.log(summary);
      else if (values.json) console.error(summary);
    } catch (error) {
      if (!(error instanceof PipeClosed)) throw error;
    }
  },
});

async function writeParts(
  parts: AsyncIterable<string | Uint8Array>,
  path: string,
  options: WriteOptions,
): Promise<number> {
  const output = openOutput(path, options);
  // A progress bar would mix with the exported lines.
  const isShown = path !== STANDARD_OUTPUT || !process.stdout.isTTY;
  try {
    return await withProgress('Exporting', 'bytes', async (progress) => {
      let bytes = 0;
      for await (const part of parts) {
        output.write(part);
        bytes += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
        if (isShown) progress(bytes);
      }
      output.end();
      return bytes;
    });
  } catch (error) {
    output.discard();
    throw error;
  }
}

/** Adds a line end to JSON; the other formats have one. */
async function* withLineEnd(parts: AsyncIterable<string | Uint8Array>, format: WrittenFormat) {
  yield* parts;
  if (format === 'json') yield '\n';
}
