/** Options of several commands. */
import { onOrOff, setting } from '../../settings/setting.ts';

export const JSON_OPTION = {
  json: setting({
    flag: '--json',
    description: 'print the result as JSON',
    byDefault: false,
    read: onOrOff,
  }),
} as const;

export const FORCE_OPTION = {
  force: setting({
    flag: '--force',
    description: 'replace existing files or rows',
    byDefault: false,
    read: onOrOff,
  }),
} as const;
