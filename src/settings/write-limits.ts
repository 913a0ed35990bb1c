/** Settings that limit writes. */
import { DEFAULT_MAX_VALUE_KB } from '../base/limits/declaration.ts';
import { DEFAULT_MAX_FILE_BYTES, DEFAULT_MAX_RESIZED_MB, MAX_FILE_BYTES } from '../base/limits/files.ts';
import { envSetting, wholeNumber } from './setting.ts';

/** Applies to requests and to files. */
export const MAX_VALUE_KB = envSetting(
  '--max-value-kb NUMBER: largest stored value of a field, in KiB',
  DEFAULT_MAX_VALUE_KB,
  wholeNumber(1, 16_384),
);

/** Where the bytes of files are. Commands find it in the database. */
const FILES = envSetting(
  '--files PLACE: folder for uploaded files, or s3://bucket/prefix; by default the place that the database names, at first itself',
  '',
);

export const WRITE_SETTINGS = {
  maxBodyMb: envSetting('--max-body-mb NUMBER: largest request body, in MiB', 16, wholeNumber(1, 4096)),
  maxValueKb: MAX_VALUE_KB,
  files: FILES,
  maxFileBytes: envSetting(
    '--max-file-bytes NUMBER: largest uploaded file, in bytes',
    DEFAULT_MAX_FILE_BYTES,
    wholeNumber(1, MAX_FILE_BYTES),
  ),
  maxTotalFileMb: envSetting(
    '--max-total-file-mb NUMBER: largest size of all files together, in MiB; 0 means no limit',
    0,
    wholeNumber(0, 2 ** 30),
  ),
  maxResizedMb: envSetting(
    '--max-resized-mb NUMBER: largest size of all resized images together, in MiB; beyond it, the oldest are removed',
    DEFAULT_MAX_RESIZED_MB,
    wholeNumber(1, 2 ** 30),
  ),
  allowUnfilteredWrites: envSetting(
    '--allow-unfiltered-writes: allow PATCH and DELETE without a filter to change every row',
  ),
} as const;
