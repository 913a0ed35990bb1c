/** The flags of `catalogue import`. */
import { ConfigError, DATA_SETTINGS } from '../../config.ts';
import { ENCODINGS, type FileEncoding } from '../../declare/rows/encoding.ts';
import { FILE_FORMATS, type FileFormat } from '../../declare/rows/source.ts';
import type { LoadTerms } from '../../engine/load.ts';
import { oneOf, onOrOff, setting, text } from '../../settings/setting.ts';
import { MAX_VALUE_KB } from '../../settings/writing.ts';
import { FORCE_OPTION, JSON_OPTION } from '../options.ts';

const ON_CONFLICT = ['fail', 'merge', 'ignore'] as const;
type OnConflict = (typeof ON_CONFLICT)[number];

export const CONFLICTS: Readonly<Record<OnConflict, LoadTerms['onConflict']>> = {
  fail: 'refuse',
  merge: 'overwrite',
  ignore: 'keep',
};

export const IMPORT_OPTIONS = {
  format: setting<FileFormat | undefined>({
    flag: '--format',
    argument: 'FORMAT',
    description: `${FILE_FORMATS.join(', ')}; without it the file's name tells`,
    byDefault: undefined,
    read: oneOf(FILE_FORMATS),
  }),
  separator: setting<string | undefined>({
    flag: '--separator',
    aliases: ['--delimiter'],
    argument: 'SIGN',
    description: 'what divides the cells of a CSV file, such as ";" or tab; without it the first line tells',
    byDefault: undefined,
    read: separator,
  }),
  encoding: setting<FileEncoding | undefined>({
    flag: '--encoding',
    argument: 'NAME',
    description: `${ENCODINGS.join(', ')}; without it a byte order mark tells, else utf-8`,
    byDefault: undefined,
    read: (given, name) => oneOf(ENCODINGS)(given.toLowerCase(), name),
  }),
  map: setting({
    flag: '--map',
    argument: '"COLUMN=FIELD"…',
    description: 'the field that a column of the file holds; "COLUMN=" leaves the column out; may be repeated',
    byDefault: '',
    read: text,
  }),
  collection: setting({
    flag: '--collection',
    argument: 'NAME',
    description: 'the collection to store into, where there are several',
    byDefault: '',
    read: text,
  }),
  onConflict: setting({
    flag: '--on-conflict',
    argument: 'WHAT',
    description: `what to do with a row whose key exists: ${ON_CONFLICT.join(', ')}`,
    byDefault: 'fail' as OnConflict,
    read: oneOf(ON_CONFLICT),
  }),
  dryRun: setting({
    flag: '--dry-run',
    description: 'do all of it, say what would happen, and store and write nothing',
    byDefault: false,
    read: onOrOff,
  }),
  keepGoing: setting({
    flag: '--keep-going',
    description: 'store the good rows, and write the bad ones to a file',
    byDefault: false,
    read: onOrOff,
  }),
  rejects: setting({
    flag: '--rejects',
    argument: 'FILE',
    description: 'that file; by default NAME.rejected.csv or .ndjson beside the imported one',
    byDefault: '',
    read: text,
  }),
  ...FORCE_OPTION,
  ...JSON_OPTION,
  maxValueKb: MAX_VALUE_KB,
  ...DATA_SETTINGS,
} as const;

function separator(given: string, name: string): string {
  const sign = given === 'tab' || given === '\\t' ? '\t' : given;
  if (/^[^"\r\n]$/.test(sign)) return sign;
  throw new ConfigError(`${name} is one sign, such as ";", or tab; not ${given}`);
}
