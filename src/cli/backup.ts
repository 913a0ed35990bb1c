/** `catalogue backup`: copies the database while the service runs. */

import { amount } from '../base/amount.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { FILES_NAME } from '../collection/files.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import type { Engine } from '../engine/engine.ts';
import { FileRecords } from '../files/records.ts';
import { locationOf } from '../files/storage/identity.ts';
import { ConfigError, describeSettings, FILE_SETTINGS, readCommand } from '../settings/by-command.ts';
import { type Command, FORCE_OPTION, JSON_OPTION } from './shared/command.ts';
import { openMaintenance, withDatabase } from './shared/database.ts';
import { withProgress } from './shared/progress.ts';

const OPTIONS = { ...FORCE_OPTION, ...JSON_OPTION, ...FILE_SETTINGS } as const;

/** Where uploaded files are, if not in the database. */
async function placeOfFiles(values: Parameters<typeof withDatabase>[0]): Promise<string | undefined> {
  const loaded = await loadCatalogue(values.collections);
  if (!loaded.catalogue.builtIn.has(FILES_NAME)) return undefined;
  const find = (engine: Engine, catalogue: Catalogue) => locationOf(new FileRecords(engine, catalogue));
  return withDatabase(values, 'never', find, { loaded }).catch((error: Error) => {
    process.stderr.write(`Could not find out where uploaded files are: ${error.message}\n`);
    return undefined;
  });
}

export const command: Command = {
  help: () => `Usage: catalogue backup FILE [flags]

Copies a consistent snapshot of an SQLite catalogue to a file while the service runs. The copy is compact and verified.
The file appears only when it is complete and on the disk. It is a catalogue itself: catalogue serve --database FILE
serves it. Uploaded files in a folder or in S3 are not part of it. For PostgreSQL, the command names the database's own tools.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values, operands } = readCommand(OPTIONS, args, env, 1);
    const [file] = operands;
    if (file === undefined) throw new ConfigError('no file is given. Use: catalogue backup FILE');
    const maintenance = await openMaintenance(values);
    const { rows, bytes } = await withProgress('Backing up', 'bytes', (progress) =>
      maintenance.backup(file, { replace: values.force, progress }),
    );
    const files = await placeOfFiles(values);
    if (values.json) return console.log(JSON.stringify({ ok: true, file, rows, bytes, files }));
    console.log(`Backed up ${amount(rows)} of ${maintenance.location} to ${file} (${bytes} bytes, verified)`);
    if (files !== undefined) console.log(`The uploaded files are not part of it. Copy ${files} as well, within a day.`);
  },
};
