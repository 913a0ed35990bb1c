/** The flags of `catalogue import`. */

import { ENCODINGS, type FileEncoding } from '../../declare/rows/encoding.ts';
import { FILE_FORMATS, type FileFormat } from '../../declare/rows/source.ts';
import type { LoadOptions } from '../../engine/shared/loader.ts';
import { type DateReader, readDateFormat } from '../../import/date-pattern.ts';
import { ConfigError, DATA_SETTINGS } from '../../settings/by-command.ts';
import { oneOf, option } from '../../settings/setting.ts';
import { MAX_VALUE_KB } from '../../settings/write-limits.ts';
import { FORCE_OPTION, JSON_OPTION } from '../shared/command.ts';

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
  format: option<FileFormat | undefined>(
    `--format FORMAT: ${FILE_FORMATS.join(', ')}; by default the ending of the file name`,
    undefined,
    oneOf(FILE_FORMATS),
  ),
  separator: option<string | undefined>(
    '--separator SIGN: separator of a CSV file, such as ";" or tab; by default taken from the first line',
    undefined,
    separator,
    { aliases: ['--delimiter'] },
  ),
  encoding: option<FileEncoding | undefined>(
    `--encoding NAME: ${ENCODINGS.join(', ')}; by default taken from a byte order mark, else utf-8`,
    undefined,
    (given, name) => oneOf(ENCODINGS)(given.toLowerCase(), name),
  ),
  map: option('--map "COLUMN=FIELD"…: field of a column of the file; "COLUMN=" skips the column; may be repeated', ''),
  collection: option('--collection NAME: collection to store into, if there are several', ''),
  mode: option(
    '--mode WHAT: insert: an existing row is bad; upsert: change it; update: change it, and a row that does not exist is bad; ignore: skip it',
    'insert' as keyof typeof MODES,
    mode,
    { aliases: ['--on-conflict'] },
  ),
  match: option(
    '--match FIELDS: unique field, or fields with commas, that identify an existing row; by default the key',
    [] as readonly string[],
    names,
  ),
  ignored: option('--ignore-columns A,B: columns of the file to skip', [] as readonly string[], names),
  only: option<readonly string[] | undefined>(
    '--only-columns A,B: columns of the file to read; all others are skipped',
    undefined,
    names,
  ),
  dates: option<DateReader | undefined>(
    '--date-format FORMAT: format of dates and timestamps, such as "MMM d yyyy" or "dd.MM.yyyy HH:mm"; by default ISO 8601',
    undefined,
    readDateFormat,
  ),
  resolve: option(
    '--resolve "FIELD=OTHER"…: a reference whose cells have another field of the referenced row, such as its name; may be repeated',
    '',
  ),
  files: option('--files DIR: folder of the files that the columns of file fields name; they are uploaded', ''),
  clearEmpty: option(
    '--clear-empty: an empty cell empties the field of a row that exists; by default it leaves the field as it is',
  ),
  dryRun: option('--dry-run: report what would happen, and store and write nothing'),
  keepGoing: option('--keep-going: store the valid rows, and write the others to a file'),
  rejects: option(
    '--rejects FILE: file of rejected rows; by default NAME.rejected.csv or .ndjson beside the imported file',
    '',
  ),
  noHistory: option(
    '--no-history: leave these rows out of the log of changes, which is faster; for the first load of a catalogue',
  ),
  ...FORCE_OPTION,
  ...JSON_OPTION,
  maxValueKb: MAX_VALUE_KB,
  ...DATA_SETTINGS,
} as const;

export function separator(given: string, name: string): string {
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
