/** Settings that limit writes. */
import { DEFAULT_MAX_VALUE_KB } from '../base/limits/declaration.ts';
import { DEFAULT_MAX_BODY_MB } from '../base/limits/http.ts';
import { onOrOff, setting, wholeNumber } from './setting.ts';

/** Applies to requests and to files. */
export const MAX_VALUE_KB = setting({
  flag: '--max-value-kb',
  env: 'CATALOGUE_MAX_VALUE_KB',
  argument: 'NUMBER',
  description: 'largest stored value of a field, in KiB',
  byDefault: DEFAULT_MAX_VALUE_KB,
  read: wholeNumber(1, 16_384),
});

export const WRITE_SETTINGS = {
  maxBodyMb: setting({
    flag: '--max-body-mb',
    env: 'CATALOGUE_MAX_BODY_MB',
    argument: 'NUMBER',
    description: 'largest request body, in MiB',
    byDefault: DEFAULT_MAX_BODY_MB,
    read: wholeNumber(1, 4096),
  }),
  maxValueKb: MAX_VALUE_KB,
  allowUnfilteredWrites: setting({
    flag: '--allow-unfiltered-writes',
    env: 'CATALOGUE_ALLOW_UNFILTERED_WRITES',
    description: 'allow PATCH and DELETE without a filter to change every row',
    byDefault: false,
    read: onOrOff,
  }),
} as const;
