/** What SQLite refuses, in the words and codes of PostgreSQL. Anything unknown stays a fault. */
import { SQLiteError } from 'bun:sqlite';
import type { Collection } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { Refusal } from '../../errors.ts';
import { nullViolation } from '../../plan/row-planner.ts';
import { ruleViolation } from '../../plan/rules.ts';
import { duplicate, keysUsedUp } from '../terms.ts';

/** The value that a write gives to a field. */
export type GivenValue = (name: string) => Value | undefined;

/** What was being written, where it is known. */
interface Attempted {
  readonly collection: Collection;
  readonly given?: GivenValue | undefined;
}

/** `on delete restrict` is for SQLite a trigger, and we have no others that refuse. */
const REFERENCE_CODES = ['SQLITE_CONSTRAINT_FOREIGNKEY', 'SQLITE_CONSTRAINT_TRIGGER'];

export function isReferenceError(error: unknown): boolean {
  return error instanceof SQLiteError && REFERENCE_CODES.includes(error.code ?? '');
}

export function translateError(error: unknown, attempted?: Attempted): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const code = error.code ?? '';
  if (code.startsWith('SQLITE_CONSTRAINT') && attempted !== undefined) return violation(error, code, attempted);
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

/** The message names the columns, as in `UNIQUE constraint failed: products.sku`, or the constraint. */
function violation(error: SQLiteError, code: string, { collection, given }: Attempted): unknown {
  const names = error.message
    .slice(error.message.indexOf(': ') + 2)
    .split(', ')
    .map((each) => each.split('.').at(-1) ?? '');
  switch (code) {
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
    case 'SQLITE_CONSTRAINT_ROWID':
    case 'SQLITE_CONSTRAINT_UNIQUE': {
      const fields = names.flatMap((name) => collection.byName.get(name) ?? []);
      const set = fields.length === 0 ? collection.key : fields;
      return duplicate(
        collection,
        set,
        set.map(({ name }) => given?.(name)),
      );
    }
    case 'SQLITE_CONSTRAINT_NOTNULL':
      return nullViolation(collection, { name: names[0] ?? '?' });
    case 'SQLITE_CONSTRAINT_CHECK': {
      const field = collection.fields.find(({ name }) => names[0] === `${collection.name}_${name}_check`);
      // The bounds of the assigned key are met only where a key was assigned: what clients give was checked before.
      if (field === undefined || field === collection.assigned) return keysUsedUp(collection);
      return ruleViolation(collection, field, 'breaks a rule of its field');
    }
    default:
      return error;
  }
}
