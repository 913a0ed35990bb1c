/** `catalogue restore`: replaces the database by a backup. */

import { amount } from '../base/amount.ts';
import { withBackup } from '../serve/backups/chosen-backup.ts';
import { BACKUP_COMMAND_SETTINGS, ConfigError } from '../settings/by-command.ts';
import { moment, option } from '../settings/setting.ts';
import { defineCommand, FORCE_OPTION, JSON_OPTION, printResult } from './shared/command.ts';
import { openMaintenance } from './shared/database.ts';
import { withProgress } from './shared/progress.ts';

const OPTIONS = {
  dropColumns: option('--drop-columns: leave out columns and tables of the backup that the database does not have'),
  withoutWebhooks: option('--without-webhooks: send no webhooks for the rows that the restore changes'),
  until: option<Date | undefined>(
    '--until TIME: restore the state of this moment: the backup, and the changes after it',
    undefined,
    moment,
  ),
  ...FORCE_OPTION,
  ...JSON_OPTION,
  ...BACKUP_COMMAND_SETTINGS,
} as const;

export const command = defineCommand({
  options: OPTIONS,
  operands: 1,
  usage: `Usage: catalogue restore BACKUP [flags]

BACKUP is a file, or a place (file:FOLDER or s3://bucket/path) with or without the name of a backup; without it, the
newest one is used.
Verifies a backup, then replaces the SQLite catalogue by it. An existing catalogue is replaced only with --force, in one
transaction: a running service continues, and shows the restored rows at once. Only rows that differ are written and
logged. If the backup has columns that the catalogue does not have, the command changes nothing unless --drop-columns
is given. A damaged file is set aside if nothing uses it. A file that is locked or cannot be opened is left unchanged.`,
  async run({ values, operands: [file] }) {
    if (file === undefined) throw new ConfigError('no backup is given. Use: catalogue restore BACKUP');
    const maintenance = await openMaintenance(values);
    const { force: replace, dropColumns, withoutWebhooks } = values;
    const choice = { from: file, until: values.until, key: values.backupKey };
    const { report, backup, last_change } = await withBackup(choice, maintenance, async (chosen) => ({
      backup: chosen.name,
      last_change: chosen.lastChange,
      report: await withProgress('Restoring', 'bytes', (progress) =>
        maintenance.restore(chosen.file, { replace, dropColumns, withoutWebhooks, progress }),
      ),
    }));
    const { rows, undeclared, dropped, lacking, hasBackupCredentials, aside } = report;
    const words = [`Restored ${amount(rows)} from ${backup} to ${maintenance.location}`];
    if (values.until !== undefined) words.push(`The last change after the backup: ${last_change ?? 'none'}`);
    if (dropped.length > 0) words.push(`Left out, since the database does not have them: ${dropped.join(', ')}`);
    if (lacking.length > 0) words.push(`Not in the backup, and at their defaults now: ${lacking.join(', ')}`);
    if (undeclared.length > 0) words.push(`${NOT_COUNTED}: ${undeclared.join(', ')}. ${DECLARATION_NEEDED}`);
    if (hasBackupCredentials) words.push(CREDENTIALS_OF_BACKUP);
    if (aside !== undefined) words.push(`The damaged file is kept as ${aside}`);
    const credentials_of_backup = hasBackupCredentials;
    const result = { file: backup, last_change, rows, undeclared, dropped, lacking, credentials_of_backup, aside };
    printResult(values.json, result, ...words);
  },
});

const NOT_COUNTED = 'Not counted, since the declaration does not have these tables';
const DECLARATION_NEEDED =
  'If they have one, copy its collections.yaml to this folder, or name it with --collections FILE.';
/** A key that was revoked after the backup is valid again. */
const CREDENTIALS_OF_BACKUP =
  'Keys and users are as in the backup, also those revoked or removed since: look at them with catalogue key list and catalogue user list.';
