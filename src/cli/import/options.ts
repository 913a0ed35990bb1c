/** The flags of `catalogue import`. */

import { ENCODINGS, type FileEncoding } from '../../declare/rows/encoding.ts';
import { FILE_FORMATS, type FileFormat } from '../../declare/rows/source.ts';
import type { LoadOptions } from '../../engine/shared/loader.ts';
import { ConfigError, DATA_SETTINGS } from '../../settings/by-command.ts';
import { oneOf, onOrOff, setting, text } from '../../settings/setting.ts';
import { MAX_VALUE_KB } from '../../settings/write-limits.ts';
import { FORCE_OPTION, JSON_OPTION } from '../shared/options.ts';
import { type DateReader, readDateFormat } from './date-format.ts';

/** The treatment of rows that exist, by mode. */
export const MODES: Readonly<Record<'insert' | 'upsert' | 'update' | 'ignore', LoadOptions['onConflict']>> = {
  insert: 'refuse',
  upsert: 'overwrite',
  update: 'update',
  ignore: 'keep',
};
/** The words of --on-conflict, the earlier name of --mode. */
const EARLIER_MODES: Readonly<Record<string, string>> = { fail: 'insert', merge: 'upsert' };

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
  mode: setting({
    flag: '--mode',
    aliases: ['--on-conflict'],
    argument: 'WHAT',
    description:
      'insert: an existing row is bad; upsert: change it; update: change it, and a row that does not exist is bad; ignore: skip it',
    byDefault: 'insert' as keyof typeof MODES,
    read: mode,
  }),
  match: setting({
    flag: '--match',
    argument: 'FIELDS',
    description: 'unique field, or fields with commas, that identify an existing row; by default the key',
    byDefault: [] as readonly string[],
    read: names,
  }),
  ignored: setting({
    flag: '--ignore-columns',
    argument: 'A,B',
    description: 'columns of the file to skip',
    byDefault: [] as readonly string[],
    read: names,
  }),
  only: setting<readonly string[] | undefined>({
    flag: '--only-columns',
    argument: 'A,B',
    description: 'columns of the file to read; all others are skipped',
    byDefault: undefined,
    read: names,
  }),
  dates: setting<DateReader | undefined>({
    flag: '--date-format',
    argument: 'FORMAT',
    description: 'format of dates and timestamps, such as "MMM d yyyy" or "dd.MM.yyyy HH:mm"; by default ISO 8601',
    byDefault: undefined,
    read: readDateFormat,
  }),
  resolve: setting({
    flag: '--resolve',
    argument: '"FIELD=OTHER"…',
    description: 'a reference whose cells have another field of the referenced row, such as its name; may be repeated',
    byDefault: '',
    read: text,
  }),
  files: setting({
    flag: '--files',
    argument: 'DIR',
    description: 'folder of the files that the columns of file fields name; they are uploaded',
    byDefault: '',
    read: text,
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

function mode(given: string, name: string): keyof typeof MODES {
  const choices = Object.keys(MODES) as (keyof typeof MODES)[];
  return oneOf(choices)(EARLIER_MODES[given] ?? given, name);
}

/** Names with commas between them. */
function names(given: string, name: string): readonly string[] {
  const found = given.split(',').map((each) => each.trim());
  if (found.includes('')) throw new ConfigError(`${name}: '${given}' has an empty name. Use a,b`);
  return found;
}
