/** What clients may write. */
import { DEFAULT_MAX_BODY_MB } from '../limits.ts';
import { onOrOff, setting, wholeNumber } from './setting.ts';

export const WRITING_SETTINGS = {
  maxBodyMb: setting({
    flag: '--max-body-mb',
    env: 'CATALOGUE_MAX_BODY_MB',
    argument: 'NUMBER',
    description: 'largest request body, in MiB',
    byDefault: DEFAULT_MAX_BODY_MB,
    read: wholeNumber(1, 4096),
  }),
  allowUnfilteredWrites: setting({
    flag: '--allow-unfiltered-writes',
    env: 'CATALOGUE_ALLOW_UNFILTERED_WRITES',
    description: 'let PATCH and DELETE without a filter touch every product',
    byDefault: false,
    read: onOrOff,
  }),
} as const;
