/** Options of several commands. */
import { onOrOff, option } from '../../settings/setting.ts';

export const JSON_OPTION = {
  json: option('--json', 'print the result as JSON', false, onOrOff),
} as const;

export const FORCE_OPTION = {
  force: option('--force', 'replace existing files or rows', false, onOrOff),
} as const;
