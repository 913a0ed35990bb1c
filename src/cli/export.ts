/** `catalogue export`: products as CSV, JSON or NDJSON, chosen by the same query string as the API. */
import { products } from '../collection/products.ts';
import { DATA_SETTINGS, describeSettings, readCommand } from '../config.ts';
import { FILE_FORMATS, type FileFormat, formatOf } from '../declare/rows/source.ts';
import { oneOf, setting, text } from '../settings/setting.ts';
import { amount } from './amount.ts';
import type { Command } from './command.ts';
import { withDatabase } from './database.ts';
import { JSON_OPTION } from './options.ts';
import { openOutput, PipeClosed } from './output.ts';
import { ProgressBar } from './progress.ts';
import { planOf, read } from './reading.ts';

const OPTIONS = {
  format: setting<FileFormat | undefined>({
    flag: '--format',
    argument: 'FORMAT',
    description: `${FILE_FORMATS.join(', ')}; without it the name of --output tells; csv on standard output`,
    byDefault: undefined,
    read: oneOf(FILE_FORMATS),
  }),
  output: setting({
    flag: '--output',
    argument: 'FILE',
    description: 'file to write, which appears when it is whole; - is standard output',
    byDefault: '-',
    read: text,
  }),
  ...JSON_OPTION,
  ...DATA_SETTINGS,
} as const;

const key = products.key[0]!;
const EXAMPLE = `${key.name}=lt.100&order=${key.name}.desc`;

export const exportProducts: Command = {
  name: 'export',
  summary: 'write products as CSV, JSON or NDJSON',
  help: () => `Usage: catalogue export [QUERY] [flags]

Writes the products as of one moment, all of them or those of a query: the same query string as the API takes, such as
'${EXAMPLE}'. A running service may use the database meanwhile. With --json the summary
goes to standard error where the products go to standard output.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values, operands } = readCommand(OPTIONS, args, env, 1);
    const format = values.output === '-' ? (values.format ?? 'csv') : formatOf(values.output, values.format);
    try {
      const { rows, bytes } = await withDatabase(values, true, async (engine, catalogue) => {
        const plan = planOf(catalogue, operands[0] ?? '');
        const { rows, parts } = await read(engine, plan, format);
        return { rows, bytes: await writeParts(withLineEnd(parts, format), values.output) };
      });
      const summary = values.json
        ? JSON.stringify({ ok: true, rows, bytes })
        : `Exported ${amount(rows)} to ${values.output}`;
      if (values.output !== '-') console.log(summary);
      else if (values.json) console.error(summary);
    } catch (error) {
      if (!(error instanceof PipeClosed)) throw error;
    }
  },
};

async function writeParts(parts: AsyncIterable<string | Uint8Array>, path: string): Promise<number> {
  const output = openOutput(path);
  // A bar between the lines of an export would spoil both.
  const bar = new ProgressBar(
    'Exporting',
    undefined,
    path === '-' && process.stdout.isTTY ? SILENT : process.stderr,
    'bytes',
  );
  let bytes = 0;
  try {
    for await (const part of parts) {
      output.write(part);
      bytes += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
      bar.show(bytes);
    }
    output.end();
    return bytes;
  } catch (error) {
    output.giveUp();
    throw error;
  } finally {
    bar.end();
  }
}

const SILENT = { write: () => {} };

/** JSON has no line end of its own; the others end with one. */
async function* withLineEnd(parts: AsyncIterable<string | Uint8Array>, format: FileFormat) {
  yield* parts;
  if (format === 'json') yield '\n';
}
