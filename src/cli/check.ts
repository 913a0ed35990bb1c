/** `catalogue check`: whether the database is whole and holds what it should. */
import { BUILT_IN } from '../collection/built-in.ts';
import { DATA_SETTINGS, describeSettings, readCommand } from '../config.ts';
import { maintenanceOf } from '../engine/open.ts';
import type { Command } from './command.ts';
import { JSON_OPTION } from './options.ts';
import { withProgress } from './progress.ts';

const OPTIONS = { ...JSON_OPTION, ...DATA_SETTINGS } as const;

export const check: Command = {
  name: 'check',
  summary: 'look whether the database is whole',
  help: () => `Usage: catalogue check [flags]

Looks at the integrity of the database, its schema version, its fields, constraints and indexes, and counts what it
holds. Changes nothing; a running service may use the database meanwhile.

Exit codes: 0 all is well, 1 something is not.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values } = readCommand(OPTIONS, args, env, 0);
    const maintenance = maintenanceOf(values.database, BUILT_IN.catalogue, values);
    const findings = await withProgress('Checking', 'steps', (progress) => maintenance.check(progress));
    const ok = findings.every((finding) => finding.ok);
    if (values.json) console.log(JSON.stringify({ ok, database: maintenance.location, findings }));
    else {
      const width = Math.max(...findings.map((finding) => finding.check.length));
      for (const finding of findings) {
        console.log(`${finding.ok ? 'ok  ' : 'BAD '}  ${finding.check.padEnd(width)}  ${finding.detail}`);
      }
    }
    return ok ? 0 : 1;
  },
};
