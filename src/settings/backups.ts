/** Settings of scheduled backups. */
import { DEFAULT_BACKUPS_KEPT } from '../base/limits/engine.ts';
import { duration, setting, text, wholeNumber } from './setting.ts';

export const BACKUP_SETTINGS = {
  backupSeconds: setting({
    flag: '--backup-every',
    aliases: ['--every'],
    env: 'CATALOGUE_BACKUP_EVERY',
    argument: 'TIME',
    description: 'interval of SQLite backups, such as 1h; 0 disables them',
    byDefault: 0,
    read: duration,
  }),
  backupsKept: setting({
    flag: '--backup-keep',
    aliases: ['--keep'],
    env: 'CATALOGUE_BACKUP_KEEP',
    argument: 'NUMBER',
    description: 'number of backups to keep',
    byDefault: DEFAULT_BACKUPS_KEPT,
    read: wholeNumber(1, 10_000),
  }),
  backupFolder: setting({
    flag: '--backup-folder',
    env: 'CATALOGUE_BACKUP_FOLDER',
    argument: 'FOLDER',
    description: 'folder of the backups',
    byDefault: 'backups',
    read: text,
  }),
} as const;
