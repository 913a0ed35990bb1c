/** `catalogue declare`: the declaration of tables that exist already. */
import { DATA_SETTINGS, describeSettings, readCommand } from '../config.ts';
import { setting, text } from '../settings/setting.ts';
import type { Command } from './command.ts';
import { declareFrom } from './declare/from-database.ts';
import { FORCE_OPTION } from './options.ts';

const OPTIONS = {
  output: setting({
    flag: '--output',
    argument: 'FILE',
    description: 'file to write; - is standard output',
    byDefault: 'collections.yaml',
    read: text,
  }),
  ...FORCE_OPTION,
  ...DATA_SETTINGS,
} as const;

export const declare: Command = {
  name: 'declare',
  summary: 'write the declaration of tables that exist already',
  help: () => `Usage: catalogue declare [DATABASE] [flags]

Writes a collections.yaml for the tables of a database that something else made; changes nothing in it. Tables in PostgreSQL are
served with it as they are, in place. The rows of an SQLite file are brought over by catalogue copy. DATABASE is as --database.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values, operands } = readCommand(OPTIONS, args, env, 1);
    await declareFrom({ ...values, database: operands[0] ?? values.database });
  },
};
