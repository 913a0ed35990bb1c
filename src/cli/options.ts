/** Options that several commands share. */
import { onOrOff, setting } from '../settings/setting.ts';

export const JSON_OPTION = {
  json: setting({
    flag: '--json',
    description: 'tell the result as JSON, for machines',
    byDefault: false,
    read: onOrOff,
  }),
} as const;

export const FORCE_OPTION = {
  force: setting({
    flag: '--force',
    description: 'replace what is there',
    byDefault: false,
    read: onOrOff,
  }),
} as const;
