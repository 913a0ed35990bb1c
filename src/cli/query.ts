/** `catalogue query`: a table on the terminal, for looking things up. */
import { products } from '../collection/products.ts';
import type { Row } from '../collection/value.ts';
import { DATA_SETTINGS, describeSettings, readCommand } from '../config.ts';
import { setting, wholeNumber } from '../settings/setting.ts';
import type { Command } from './command.ts';
import { withDatabase } from './database.ts';
import { JSON_OPTION } from './options.ts';
import { planOf, read } from './reading.ts';
import { renderTable } from './table.ts';

const OPTIONS = {
  rows: setting({
    flag: '--rows',
    argument: 'NUMBER',
    description: 'most rows to show',
    byDefault: 100,
    read: wholeNumber(1, 100_000),
  }),
  ...JSON_OPTION,
  ...DATA_SETTINGS,
} as const;

const EXAMPLE = `${products.key.name}=in.(1,2,3)`;

export const query: Command = {
  name: 'query',
  summary: 'show products in a table',
  help: () => `Usage: catalogue query [QUERY] [flags]

Shows products in a table. QUERY is the query string of the API, such as '${EXAMPLE}'. For all rows, or for machines that read CSV, there is
catalogue export.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values, operands } = readCommand(OPTIONS, args, env, 1);
    await withDatabase(values, true, async (engine) => {
      const plan = planOf(products, operands[0] ?? '', values.rows);
      const { parts, total = 0 } = await read(engine, plan, 'json');
      const text = await new Response(parts as unknown as ReadableStream).text();
      if (values.json) return console.log(text);
      const rows = JSON.parse(text) as Row[];
      const columns = plan.columns.map(({ name }) => name);
      process.stdout.write(renderTable(columns, rows, process.stdout.isTTY ? process.stdout.columns : undefined));
      const first = plan.offset + 1;
      const shown = rows.length === 0 ? 'none' : `${first} to ${plan.offset + rows.length}`;
      if (rows.length < total) process.stderr.write(`${shown} of ${total}\n`);
    });
  },
};
