/** `catalogue backup`: copies the database while the service runs. */

import { amount } from '../base/amount.ts';
import { ConfigError, describeSettings, FILE_SETTINGS, readCommand } from '../settings/by-command.ts';
import type { Command } from './shared/command.ts';
import { openMaintenance } from './shared/database.ts';
import { FORCE_OPTION, JSON_OPTION } from './shared/options.ts';
import { withProgress } from './shared/progress.ts';

const OPTIONS = { ...FORCE_OPTION, ...JSON_OPTION, ...FILE_SETTINGS } as const;

export const command: Command = {
  help: () => `Usage: catalogue backup FILE [flags]

Copies a consistent snapshot of an SQLite catalogue to a file while the service runs. The copy is compact and verified.
The file appears only when it is complete and on the disk. It is a catalogue itself: catalogue serve --database FILE
serves it. For PostgreSQL, the command names the database's own tools.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values, operands } = readCommand(OPTIONS, args, env, 1);
    const [file] = operands;
    if (file === undefined) throw new ConfigError('no file is given. Use: catalogue backup FILE');
    const maintenance = await openMaintenance(values);
    const { rows, bytes } = await withProgress('Backing up', 'bytes', (progress) =>
      maintenance.backup(file, { replace: values.force, progress }),
    );
    if (values.json) console.log(JSON.stringify({ ok: true, file, rows, bytes }));
    else console.log(`Backed up ${amount(rows)} of ${maintenance.location} to ${file} (${bytes} bytes, verified)`);
  },
};
