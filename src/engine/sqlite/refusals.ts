/** What SQLite refuses, in the words and codes of PostgreSQL. Anything unknown stays a fault. */
import { SQLiteError } from 'bun:sqlite';
import type { Collection } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { Refusal } from '../../errors.ts';
import { nullViolation } from '../../plan/row-planner.ts';
import { duplicateKey, keysUsedUp } from '../terms.ts';

/** The file itself is not what it was; that it cannot be opened, locked or written says nothing of that. */
export function isDamage(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code ?? '');
}

/** By the beginning of SQLite's code, for people at a terminal. */
const WORDS: readonly (readonly [string, string])[] = [
  ['SQLITE_NOTADB', 'the file is not an SQLite database'],
  ['SQLITE_CORRUPT', 'the file is damaged; catalogue check says more, catalogue restore brings back a backup'],
  ['SQLITE_BUSY', 'another process keeps the database locked'],
  ['SQLITE_LOCKED', 'another process keeps the database locked'],
  ['SQLITE_READONLY', 'the file or its folder may not be written'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened: it is not there, or may not be read or written'],
  ['SQLITE_PERM', 'the file may not be read or written'],
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk is full or failing'],
];

/** What SQLite says, in a sentence. */
export function describe({ code = '', message }: Pick<SQLiteError, 'message'> & { code?: string | undefined }): string {
  return WORDS.find(([beginning]) => code.startsWith(beginning))?.[1] ?? message;
}

export function translateError(error: unknown, collection: Collection, key: Value | undefined): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const code = error.code ?? '';
  switch (code) {
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
    case 'SQLITE_CONSTRAINT_ROWID':
    case 'SQLITE_CONSTRAINT_UNIQUE':
      return duplicateKey(collection, key);
    case 'SQLITE_CONSTRAINT_NOTNULL':
      return nullViolation(collection, { name: error.message.split('.').at(-1) ?? '?' });
    case 'SQLITE_CONSTRAINT_CHECK':
      return keysUsedUp(collection);
  }
  if (code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR')) {
    return new Refusal('CAT507', 'the database cannot be written: the disk is full or failing', {
      details: 'Nothing was changed; reads go on.',
      hint: 'Make room on the disk that holds the database, then try again.',
      headers: { 'retry-after': '10' },
    });
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new Refusal('CAT503', 'another process is writing to the database', {
      details: 'Nothing was changed.',
      headers: { 'retry-after': '1' },
    });
  }
  if (code === 'SQLITE_READONLY' || code.startsWith('SQLITE_CANTOPEN')) {
    return new Refusal('CAT503', 'the database cannot be written', { headers: { 'retry-after': '10' } });
  }
  return error;
}
