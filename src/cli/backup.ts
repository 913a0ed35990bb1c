/** `catalogue backup`: copies the database while the service runs. */

import { amount } from '../base/amount.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { FILES_NAME } from '../collection/files.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import type { Engine } from '../engine/engine.ts';
import { FileRecords } from '../files/records.ts';
import { locationOf } from '../files/storage/identity.ts';
import { backUpTo, inPlace, isPlace, openPlace } from '../serve/backups/stored-backups.ts';
import { BACKUP_COMMAND_SETTINGS, ConfigError } from '../settings/by-command.ts';
import { defineCommand, FORCE_OPTION, JSON_OPTION, printResult } from './shared/command.ts';
import { openMaintenance, withDatabase } from './shared/database.ts';
import { withProgress } from './shared/progress.ts';

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

export const command = defineCommand({
  options: { ...FORCE_OPTION, ...JSON_OPTION, ...BACKUP_COMMAND_SETTINGS },
  operands: 1,
  usage: `Usage: catalogue backup FILE|PLACE [flags]

Copies a consistent snapshot of an SQLite catalogue to a file while the service runs. The copy is compact and verified.
The file appears only when it is complete and on the disk. It is a catalogue itself: catalogue serve --database FILE
serves it. Uploaded files in a folder or in S3 are not part of it. With a
place such as s3://bucket/path or file:FOLDER, the backup is stored there under a name with its time, encrypted if
--backup-key is set, and read back. For PostgreSQL, the command names the database's own tools.`,
  async run({ values, operands: [target] }) {
    if (target === undefined) throw new ConfigError('no file is given. Use: catalogue backup FILE');
    const maintenance = await openMaintenance(values);
    const { rows, bytes, file } = await withProgress('Backing up', 'bytes', async (progress) => {
      if (isPlace(target)) {
        const place = openPlace(target, { create: true });
        return inPlace(target, 'written', () => backUpTo(place, maintenance, values.backupKey, progress));
      }
      return { ...(await maintenance.backup(target, { replace: values.force, progress })), file: target };
    });
    const files = await placeOfFiles(values);
    printResult(
      values.json,
      { file, rows, bytes, files },
      `Backed up ${amount(rows)} of ${maintenance.location} to ${file} (${bytes} bytes, verified)`,
      ...(files === undefined ? [] : [`The uploaded files are not part of it. Copy ${files} as well, within a day.`]),
    );
  },
});
