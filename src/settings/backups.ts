/** Settings of scheduled backups. */
import { DEFAULT_BACKUPS_KEPT } from '../limits.ts';
import { duration, setting, text, wholeNumber } from './setting.ts';

export const BACKUP_SETTINGS = {
  backupSeconds: setting({
    flag: '--backup-every',
    aliases: ['--every'],
    env: 'CATALOGUE_BACKUP_EVERY',
    argument: 'TIME',
    description: 'interval between backups of the SQLite file, such as 1h; 0 turns them off',
    byDefault: 0,
    read: duration,
  }),
  backupsKept: setting({
    flag: '--backup-keep',
    aliases: ['--keep'],
    env: 'CATALOGUE_BACKUP_KEEP',
    argument: 'NUMBER',
    description: 'number of scheduled backups to keep',
    byDefault: DEFAULT_BACKUPS_KEPT,
    read: wholeNumber(1, 10_000),
  }),
  backupFolder: setting({
    flag: '--backup-folder',
    env: 'CATALOGUE_BACKUP_FOLDER',
    argument: 'FOLDER',
    description: 'folder of the scheduled backups',
    byDefault: 'backups',
    read: text,
  }),
} as const;
