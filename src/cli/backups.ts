/** `catalogue backups`: lists the backups of a place. */
import { describeBackups, inPlace, openPlace } from '../serve/backups/stored-backups.ts';
import { BACKUP_PLACE } from '../settings/by-command.ts';
import { defineCommand, JSON_OPTION } from './shared/command.ts';
import { printRows } from './shared/credentials.ts';

export const command = defineCommand({
  options: { ...JSON_OPTION, ...BACKUP_PLACE },
  operands: 1,
  usage: `Usage: catalogue backups [PLACE] [flags]

Lists the backups in a folder or in s3://bucket/path, oldest first; by default those of --backup-to. A backup has
the rows of the time in its name. From it and the changes that are stored beside it, catalogue restore --until restores
any moment up to complete_until.`,
  async run({ values, operands: [place = values.backupTo || values.backupFolder] }) {
    const rows = await inPlace(place, 'read', () => describeBackups(openPlace(place)));
    const columns = ['backup', 'time', 'bytes', 'encrypted', 'complete_until'] as const;
    printRows(columns, rows, values.json, `${place} has no backups.`);
  },
});
