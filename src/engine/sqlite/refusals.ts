/** What SQLite refuses, in the words and codes of PostgreSQL. Anything unknown stays a fault. */
import { SQLiteError } from 'bun:sqlite';
import type { Collection } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { Refusal } from '../../errors.ts';
import { nullViolation } from '../../plan/row-planner.ts';
import { duplicateKey, keysUsedUp } from '../terms.ts';

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
