/** Settings of scheduled backups. */
import { duration, envSetting, text, wholeNumber } from './setting.ts';

export const BACKUP_SETTINGS = {
  backupSeconds: envSetting(
    '--backup-every TIME',
    'interval of SQLite backups, such as 1h; 0 disables them',
    0,
    duration,
    { aliases: ['--every'] },
  ),
  backupsKept: envSetting('--backup-keep NUMBER', 'number of backups to keep', 24, wholeNumber(1, 10_000), {
    aliases: ['--keep'],
  }),
  backupFolder: envSetting('--backup-folder FOLDER', 'folder of the backups', 'backups', text),
} as const;
