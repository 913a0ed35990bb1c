/** Settings that limit writes. */
import { DEFAULT_MAX_VALUE_KB } from '../base/limits/declaration.ts';
import { envSetting, onOrOff, wholeNumber } from './setting.ts';

/** Applies to requests and to files. */
export const MAX_VALUE_KB = envSetting(
  '--max-value-kb NUMBER',
  'largest stored value of a field, in KiB',
  DEFAULT_MAX_VALUE_KB,
  wholeNumber(1, 16_384),
);

export const WRITE_SETTINGS = {
  maxBodyMb: envSetting('--max-body-mb NUMBER', 'largest request body, in MiB', 16, wholeNumber(1, 4096)),
  maxValueKb: MAX_VALUE_KB,
  allowUnfilteredWrites: envSetting(
    '--allow-unfiltered-writes',
    'allow PATCH and DELETE without a filter to change every row',
    false,
    onOrOff,
  ),
} as const;
