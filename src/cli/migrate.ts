/** `catalogue migrate`: makes the tables or brings them up to date, and does nothing else. */
import { describeSettings, MIGRATE_SETTINGS, readSettings } from '../config.ts';
import type { Command } from './command.ts';
import { withDatabase } from './database.ts';
import { JSON_OPTION } from './options.ts';
import { isReady } from './ready.ts';

const OPTIONS = { ...JSON_OPTION, ...MIGRATE_SETTINGS } as const;

export const migrate: Command = {
  name: 'migrate',
  summary: 'make the tables, or bring them up to date',
  help: () => `Usage: catalogue migrate [flags]

Makes the tables of a database, or brings them up to date, as serve does when it starts; then ends. Run it with a role
that may change the schema where the service itself runs with one that may not. A new database gets the reference products.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const settings = readSettings(OPTIONS, args, env);
    const { location, steps } = await withDatabase(
      settings,
      'at once',
      async (engine, { collections }) => {
        const [first] = collections.values();
        await isReady(engine, first!);
        return { location: engine.location, steps: engine.steps ?? [] };
      },
      { withRows: !settings.empty },
    );
    if (settings.json) console.log(JSON.stringify({ ok: true, database: location, made: steps }));
    else console.log(`${location}: ${steps.length === 0 ? 'up to date' : `made ${steps.join(', ')}`}`);
  },
};
