/** The flags of `catalogue import`. */

import { ENCODINGS, type FileEncoding } from '../../declare/rows/encoding.ts';
import { FILE_FORMATS, type FileFormat } from '../../declare/rows/source.ts';
import type { LoadOptions } from '../../engine/shared/loader.ts';
import { ConfigError, DATA_SETTINGS } from '../../settings/by-command.ts';
import { oneOf, onOrOff, setting, text } from '../../settings/setting.ts';
import { MAX_VALUE_KB } from '../../settings/write-limits.ts';
import { FORCE_OPTION, JSON_OPTION } from '../shared/options.ts';

const ON_CONFLICT = ['fail', 'merge', 'ignore'] as const;
type OnConflict = (typeof ON_CONFLICT)[number];

export const CONFLICTS: Readonly<Record<OnConflict, LoadOptions['onConflict']>> = {
  fail: 'refuse',
  merge: 'overwrite',
  ignore: 'keep',
};

export const IMPORT_OPTIONS = {
  format: setting<FileFormat | undefined>({
    flag: '--format',
    argument: 'FORMAT',
    description: `${FILE_FORMATS.join(', ')}; by default the ending of the file name`,
    byDefault: undefined,
    read: oneOf(FILE_FORMATS),
  }),
  separator: setting<string | undefined>({
    flag: '--separator',
    aliases: ['--delimiter'],
    argument: 'SIGN',
    description: 'separator of a CSV file, such as ";" or tab; by default taken from the first line',
    byDefault: undefined,
    read: separator,
  }),
  encoding: setting<FileEncoding | undefined>({
    flag: '--encoding',
    argument: 'NAME',
    description: `${ENCODINGS.join(', ')}; by default taken from a byte order mark, else utf-8`,
    byDefault: undefined,
    read: (given, name) => oneOf(ENCODINGS)(given.toLowerCase(), name),
  }),
  map: setting({
    flag: '--map',
    argument: '"COLUMN=FIELD"…',
    description: 'field of a column of the file; "COLUMN=" skips the column; may be repeated',
    byDefault: '',
    read: text,
  }),
  collection: setting({
    flag: '--collection',
    argument: 'NAME',
    description: 'collection to store into, if there are several',
    byDefault: '',
    read: text,
  }),
  onConflict: setting({
    flag: '--on-conflict',
    argument: 'WHAT',
    description: `action for a row whose key exists: ${ON_CONFLICT.join(', ')}`,
    byDefault: 'fail' as OnConflict,
    read: oneOf(ON_CONFLICT),
  }),
  dryRun: setting({
    flag: '--dry-run',
    description: 'report what would happen, and store and write nothing',
    byDefault: false,
    read: onOrOff,
  }),
  keepGoing: setting({
    flag: '--keep-going',
    description: 'store the valid rows, and write the others to a file',
    byDefault: false,
    read: onOrOff,
  }),
  rejects: setting({
    flag: '--rejects',
    argument: 'FILE',
    description: 'file of rejected rows; by default NAME.rejected.csv or .ndjson beside the imported file',
    byDefault: '',
    read: text,
  }),
  noHistory: setting({
    flag: '--no-history',
    description: 'leave these rows out of the log of changes, which is faster; for the first load of a catalogue',
    byDefault: false,
    read: onOrOff,
  }),
  ...FORCE_OPTION,
  ...JSON_OPTION,
  maxValueKb: MAX_VALUE_KB,
  ...DATA_SETTINGS,
} as const;

function separator(given: string, name: string): string {
  const sign = given === 'tab' || given === '\\t' ? '\t' : given;
  if (/^[^"\r\n]$/.test(sign)) return sign;
  throw new ConfigError(`${name}: '${given}' is not one character. Use a character such as ";", or tab`);
}
