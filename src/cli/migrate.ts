/** `catalogue migrate`: creates or updates the tables, and ends. */

import { didYouMean } from '../base/nearest-name.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import { type MigrationPlan, problemLines } from '../engine/migration/words.ts';
import { maintenanceOf } from '../engine/open.ts';
import { NO_ROWS } from '../plan/write/first-rows.ts';
import { ConfigError, MIGRATE_SETTINGS, type Values } from '../settings/by-command.ts';
import { option } from '../settings/setting.ts';
import { defineCommand, JSON_OPTION, printResult } from './shared/command.ts';
import { openMaintenance, rowCount, withDatabase } from './shared/database.ts';

const OPTIONS = {
  plan: option('--plan: show the changes and what prevents them, and change nothing'),
  allow: option<readonly string[]>(
    '--allow WHAT…: allow a listed change that could lose data: drop:products.colour; may be repeated',
    [],
    permissions,
  ),
  ...JSON_OPTION,
  ...MIGRATE_SETTINGS,
} as const;

/** Exit code of --plan: there are changes, and nothing prevents them. */
const TO_DO = 2;

export const command = defineCommand({
  options: OPTIONS,
  usage: `Usage: catalogue migrate [flags]

Updates the tables of a database to the declaration, as serve does when it starts, and ends. Additive changes are applied
in one transaction. If a change could lose or reject stored data, the command lists it with its --allow value and applies
nothing. If the service runs with a role that may not change the schema, run this command with a role that may.

Exit codes: 0 done, 1 rejected or failed; of --plan: 0 no changes, ${TO_DO} changes, 1 changes that would be rejected.`,
  async run({ values: settings }) {
    if (settings.allow.length > 0) await warnAboutUnused(settings);
    return settings.plan ? show(settings) : migrate(settings);
  },
});

type Settings = Values<typeof OPTIONS>;

/** Warns about a permission that is not needed: it may be mistyped, or an earlier migration applied the change. */
async function warnAboutUnused(settings: Settings): Promise<void> {
  const { problems } = await (await openMaintenance(settings)).plan({ firstRows: NO_ROWS });
  const neededPermissions = problems.flatMap((problem) => problem.allow ?? []);
  for (const each of settings.allow.filter((permission) => !neededPermissions.includes(permission))) {
    process.stderr.write(
      `catalogue: --allow ${each} is not needed: the migration has no such change${didYouMean(each, neededPermissions)}\n`,
    );
  }
}

async function show(settings: Settings): Promise<number> {
  const { catalogue, ...begun } = await loadCatalogue(settings.collections, { withRows: !settings.empty });
  const firstRows = settings.empty ? NO_ROWS : begun.firstRows;
  const maintenance = maintenanceOf(settings.database, catalogue, settings);
  const plan = await maintenance.plan({ firstRows, allowed: settings.allow, isMigration: true });
  const { steps, problems } = plan;
  const { location } = maintenance;
  if (settings.json) console.log(JSON.stringify({ ok: problems.length === 0, database: location, steps, problems }));
  else console.log(`${location}: ${describe(plan)}`);
  if (problems.length > 0) return 1;
  return steps.length > 0 ? TO_DO : 0;
}

function describe(plan: MigrationPlan): string {
  if (plan.steps.length === 0 && plan.problems.length === 0) return 'up to date';
  const parts = [
    ...(plan.steps.length === 0 ? [] : ['to do:', ...plan.steps.map((step) => `  ${step}`)]),
    ...(plan.problems.length === 0 ? [] : ['prevented by:', ...problemLines(plan)]),
  ];
  return parts.join('\n');
}

async function migrate(settings: Settings): Promise<void> {
  const { location, steps } = await withDatabase(
    { ...settings, allowed: settings.allow, isMigration: true },
    'at once',
    async (engine, { collections }) => {
      const [first] = collections.values();
      await rowCount(engine, first!);
      return { location: engine.location, steps: engine.steps ?? [] };
    },
    { withRows: !settings.empty },
  );
  const words = `${location}: ${steps.length === 0 ? 'up to date' : `applied: ${steps.join(', ')}`}`;
  printResult(settings.json, { database: location, made: steps }, words);
}

/** As in `drop:products.colour` and `drop:"Order Line"`. */
const NAME = /(?:[\p{L}\p{N}_]+|"(?:[^"\\]|\\.)+")/u.source;
const PERMISSION = new RegExp(`^(?:drop:${NAME}|(?:drop|convert|fill|clear):${NAME}\\.${NAME})$`, 'u');

function permissions(given: string, name: string): readonly string[] {
  const list = given.match(/(?:"(?:[^"\\]|\\.)*"|[^\s,])+/g) ?? [];
  const wrong = list.find((each) => !PERMISSION.test(each));
  if (wrong === undefined) return list;
  throw new ConfigError(
    `${name} takes drop:COLLECTION, drop:COLLECTION.FIELD, convert:…, fill:… or clear:…, as catalogue migrate --plan lists them, not ${wrong}`,
  );
}
