/** `catalogue restore`: the database becomes what a backup holds. */
import { ConfigError, describeSettings, FILE_SETTINGS, readCommand } from '../config.ts';
import { maintenanceOf } from '../engine/open.ts';
import { begin } from '../plan/begin.ts';
import { amount } from './amount.ts';
import type { Command } from './command.ts';
import { FORCE_OPTION, JSON_OPTION } from './options.ts';
import { withProgress } from './progress.ts';

const OPTIONS = { ...FORCE_OPTION, ...JSON_OPTION, ...FILE_SETTINGS } as const;

export const restore: Command = {
  name: 'restore',
  summary: 'make the database what a backup holds',
  help: () => `Usage: catalogue restore FILE [flags]

Verifies a backup, then makes the SQLite catalogue what it holds. A catalogue that is there is replaced only with --force,
in one transaction: a running service goes on, and shows the restored products at once. A damaged one is set aside.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values, operands } = readCommand(OPTIONS, args, env, 1);
    const [file] = operands;
    if (file === undefined) throw new ConfigError('say what to restore: catalogue restore FILE');
    const maintenance = maintenanceOf(values.database, (await begin(values.collections)).catalogue, values);
    const { rows } = await withProgress('Restoring', 'bytes', (progress) =>
      maintenance.restore(file, { replace: values.force, progress }),
    );
    if (values.json) console.log(JSON.stringify({ ok: true, file, rows }));
    else console.log(`Restored ${amount(rows)} from ${file} to ${maintenance.location}`);
  },
};
