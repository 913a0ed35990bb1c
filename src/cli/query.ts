/** `catalogue query`: shows rows in a table on the terminal. */
import { parseJson } from '../collection/exact-json.ts';
import { products } from '../collection/products.ts';
import { DATA_SETTINGS } from '../settings/by-command.ts';
import { option, wholeNumber } from '../settings/setting.ts';
import { defineCommand, JSON_OPTION } from './shared/command.ts';
import { planOf, read, withDatabase } from './shared/database.ts';
import { type Rows, renderTable } from './shared/table.ts';

/** The default number of rows. */
const ROWS = 100;

const OPTIONS = {
  rows: option<number | undefined>(
    `--rows NUMBER: maximum number of rows; by default limit= of the query, or ${ROWS}`,
    undefined,
    wholeNumber(1, 100_000),
  ),
  ...JSON_OPTION,
  ...DATA_SETTINGS,
} as const;

const EXAMPLE = `${products.key[0]!.name}=in.(1,2,3)`;

export const command = defineCommand({
  options: OPTIONS,
  operands: 1,
  usage: `Usage: catalogue query [QUERY] [flags]

Shows rows in a table. QUERY is the query string of the API, such as '${EXAMPLE}'. 'NAME?…' reads another
collection, also the log: 'changes?order=seq.desc'. For all rows, or for CSV, use catalogue export.`,
  async run({ values, operands }) {
    await withDatabase(values, 'never', async (engine, catalogue) => {
      const { rows: most } = values;
      const rowsOf = (limit: number | undefined) => Math.min(limit ?? most ?? ROWS, most ?? Infinity);
      const plan = planOf(catalogue, operands[0] ?? '', rowsOf);
      const { parts, rows, total = 0 } = await read(engine, plan, 'json');
      const text = await new Response(parts as unknown as ReadableStream).text();
      const columns = plan.columns.map(({ name }) => name);
      const width = process.stdout.isTTY ? process.stdout.columns : undefined;
      process.stdout.write(values.json ? `${text}\n` : renderTable(columns, parseJson(text) as Rows, width));
      if (rows < total) process.stderr.write(`${shownOf(plan.offset, rows, total)}\n`);
    });
  },
});

function shownOf(offset: number, rows: number, total: number): string {
  const shown = rows === 0 ? 'none' : `${offset + 1} to ${offset + rows}`;
  return `${shown} of ${total}; for more, use --rows NUMBER, or limit=NUMBER and offset=NUMBER in the query`;
}
