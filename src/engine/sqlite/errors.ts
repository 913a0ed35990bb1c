/** Translates SQLite errors to PostgreSQL's codes and messages. Unknown ones stay unexpected errors. */
import { SQLiteError } from 'bun:sqlite';
import { ApiError } from '../../base/errors.ts';
import { type Collection, type Field, uniqueSets } from '../../collection/declaration.ts';
import { derivedName } from '../../collection/derived-name.ts';
import type { Value } from '../../collection/value.ts';
import { checkViolation } from '../../plan/coerce.ts';
import { nullViolation } from '../../plan/write/row-planner.ts';
import { diskFull, duplicateKey, keysExhausted, printValues } from '../shared/write-checks.ts';
import { valueIn } from './functions/stored-values.ts';

/** Whether the file is damaged; failures to open, lock or write it do not count. */
export function isDamage(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code ?? '');
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof SQLiteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE';
}

/** The message for clients. */
export const DAMAGED = 'the database file is damaged';

/** Descriptions for commands, by prefix of SQLite's code. */
const WORDS: readonly (readonly [string, string])[] = [
  ['SQLITE_NOTADB', 'the file is not an SQLite database'],
  ['SQLITE_CORRUPT', 'the file is damaged; catalogue check says more, catalogue restore brings back a backup'],
  ['SQLITE_BUSY', 'another process has locked the database'],
  ['SQLITE_LOCKED', 'another process has locked the database'],
  ['SQLITE_READONLY', 'the file or its folder is not writable'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened: it does not exist, or is not readable and writable'],
  ['SQLITE_PERM', 'the file is not readable and writable'],
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk is full or failing'],
];

/** SQLite's error as a sentence. */
export function describe({ code = '', message }: Pick<SQLiteError, 'message'> & { code?: string | undefined }): string {
  return WORDS.find(([beginning]) => code.startsWith(beginning))?.[1] ?? message;
}

/** Returns the stored form of a value that a write supplies. */
export type GivenValue = (name: string) => Value | undefined;

interface Attempted {
  readonly collection: Collection;
  readonly given?: GivenValue | undefined;
}

/** SQLite implements `on delete restrict` as a trigger, and no other trigger of ours fails. */
const REFERENCE_CODES = ['SQLITE_CONSTRAINT_FOREIGNKEY', 'SQLITE_CONSTRAINT_TRIGGER'];

/** A row of a body would break a reference. */
export class BrokenReference extends Error {
  constructor(readonly index: number) {
    super(`row ${index} would break a reference`);
  }
}

export function isReferenceError(error: unknown): boolean {
  if (error instanceof BrokenReference) return true;
  return error instanceof SQLiteError && REFERENCE_CODES.includes(error.code ?? '');
}

export function translateError(error: unknown, attempted?: Attempted): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const code = error.code ?? '';
  if (code.startsWith('SQLITE_CONSTRAINT') && attempted !== undefined) return violation(error, code, attempted);
  if (code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR')) {
    return diskFull(error.message);
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new ApiError('CAT503', 'another process is writing to the database', {
      nothingChanged: true,
      hint: 'Try again in a moment.',
      headers: { 'retry-after': '1' },
    });
  }
  if (isDamage(error)) {
    return new ApiError('CAT503', DAMAGED, {
      hint: 'Whoever runs the service: catalogue check says more, catalogue restore brings back a backup.',
      headers: { 'retry-after': '10' },
      cause: error.message,
      reason: DAMAGED,
    });
  }
  if (code === 'SQLITE_READONLY' || code.startsWith('SQLITE_CANTOPEN')) {
    return new ApiError('CAT503', 'the database cannot be written', { headers: { 'retry-after': '10' } });
  }
  return error;
}

/** The message contains the columns, as in `UNIQUE constraint failed: products.sku`, or the constraint. */
function violation(error: SQLiteError, code: string, { collection, given }: Attempted): unknown {
  const place = error.message.slice(error.message.indexOf(': ') + 2);
  const isAt = (fields: readonly Field[]) =>
    place === fields.map((each) => `${collection.name}.${each.name}`).join(', ');
  switch (code) {
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
    case 'SQLITE_CONSTRAINT_ROWID':
    case 'SQLITE_CONSTRAINT_UNIQUE': {
      const set = uniqueSets(collection).find(isAt) ?? collection.key;
      const values = set.map(({ name, type }) => {
        const stored = given?.(name);
        return stored === undefined ? undefined : valueIn(type, stored);
      });
      return duplicateKey(collection, set, printValues(set, values));
    }
    case 'SQLITE_CONSTRAINT_NOTNULL':
      return nullViolation(collection, collection.fields.find((field) => isAt([field])) ?? { name: '?' });
    case 'SQLITE_CONSTRAINT_CHECK': {
      const field = collection.fields.find(({ name }) => place === derivedName(collection.name, name, 'check'));
      // Only an assigned key can violate the bounds of its field: supplied ones are validated before.
      if (field === undefined || field === collection.assigned) return keysExhausted(collection);
      return checkViolation(collection, field);
    }
    default:
      return error;
  }
}
