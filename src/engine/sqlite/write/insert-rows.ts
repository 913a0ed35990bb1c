/** Inserts the rows of a write, one statement after the other. */
import { SQLiteError } from 'bun:sqlite';
import { ApiError } from '../../../base/errors.ts';
import { rowDenied } from '../../../collection/access/permission-errors.ts';
import { allReferences, type Collection } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import type { Conflict, InsertPlan } from '../../../plan/write-plan.ts';
import { checkBeforeInsert } from '../../shared/plan-keys.ts';
import { keysExhausted, withRowIndex } from '../../shared/write-checks.ts';
import { conflictSql } from '../../sql/assignment.ts';
import { identifier, type Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { spendRow } from '../connection/deadline.ts';
import { sqliteDialect } from '../dialect.ts';
import { BrokenReference, isReferenceError, translateError } from '../errors.ts';
import { valueIn } from '../functions/stored-values.ts';
import { countReturned, withinReturned } from '../read/byte-budget.ts';
import { insertSql, storedValues, writtenValues } from '../schema/schema.ts';
import { advanceKey } from './assigned-keys.ts';
import { firstBadRow } from './broken-references.ts';
import { rulesFirst } from './change-rows.ts';
import { type Allowed, compileAllowed, compileBefore } from './insert-rules.ts';
import { returningRow, type Written } from './returned-rows.ts';

interface CompiledInsert {
  readonly sql: string;
  readonly lookup?: ConflictLookup | undefined;
  readonly allowed?: Allowed | undefined;
  readonly before?: Statement | undefined;
}

/** Finds the existing row that a row conflicts with. Numbers are positions of fields. */
interface ConflictLookup {
  /** Returns its key as text. */
  readonly sql: string;
  /** The parameters of the statement. */
  readonly places: readonly number[];
}

function compileInsert(plan: InsertPlan): CompiledInsert {
  const { into, conflict, restriction } = plan;
  const allowed = restriction && compileAllowed(into, restriction);
  const tested = checkBeforeInsert(plan);
  const returning = returningRow(plan);
  const told =
    allowed === undefined ? returning : `${returning || ' returning 1'}, ${allowed.created}, ${allowed.changed}`;
  return {
    sql: insertSql(into) + conflictSql(conflict, allowed?.met) + told,
    lookup: typeof conflict === 'object' && conflict.overwrite.length > 0 ? compileLookup(into, conflict) : undefined,
    allowed,
    before: tested && compileBefore(into, tested),
  };
}

function compileLookup({ name, fields, key }: Collection, { on }: Exclude<Conflict, 'refuse'>): ConflictLookup {
  const texts = key.map((field) => sqliteDialect.text(identifier(field.name), field.type));
  const tests = on.map((field, index) => `${identifier(field.name)} = ?${index + 1}`);
  return {
    sql: `select ${texts.join(', ')} from ${identifier(name)} where ${tests.join(' and ')}`,
    places: on.map((field) => fields.indexOf(field)),
  };
}

/** Rows of one request may refer to each other in any order. Most refer to earlier ones. */
export function insertRows(connection: Connection, plan: InsertPlan): Written {
  const { into } = plan;
  const insert = compileInsert(plan);
  const refersToItself = plan.rows.length > 1 && allReferences(into).some(({ to }) => to === into.name);
  if (!refersToItself) return insertEach(connection, plan, insert);
  connection.execute('savepoint in_order');
  try {
    const written = insertEach(connection, plan, insert);
    connection.execute('release in_order');
    return written;
  } catch (error) {
    if (!(error instanceof BrokenReference)) throw error;
    connection.execute('rollback to in_order');
    connection.execute('release in_order');
    return withinReturned(() => insertInAnyOrder(connection, plan, insert));
  }
}

/** Checks references by all rows together. As in PostgreSQL, other errors of the rows come first. */
function insertInAnyOrder(connection: Connection, plan: InsertPlan, insert: CompiledInsert): Written {
  const missing = firstBadRow(connection, plan, 'missing');
  connection.execute('pragma defer_foreign_keys = on');
  try {
    const written = insertEach(connection, plan, insert);
    if (missing !== undefined) throw missing;
    return written;
  } finally {
    // Other writes share the transaction. SQLite also forgets the violations it has counted, so all are checked before.
    connection.execute('pragma defer_foreign_keys = off');
  }
}

function insertEach(
  connection: Connection,
  plan: InsertPlan,
  { sql, lookup, allowed, before }: CompiledInsert,
): Written {
  const collection = plan.into;
  const { fields, key: keyFields } = collection;
  const keyPlaces = keyFields.map((field) => fields.indexOf(field));
  const isReturned = plan.returning !== undefined || allowed !== undefined;
  passChosen(connection, plan);
  const changed: string[] = [];
  const areNew: boolean[] = [];
  /** The key of the last row, as text if the row existed, or as it was given or assigned. */
  let last:
    | { readonly known: unknown[] | undefined; readonly given: readonly Value[]; readonly row: number }
    | undefined;
  for (const [index, values] of plan.rows.entries()) {
    spendRow();
    const row = storedValues(fields, values);
    const lookedUp = lookup?.places.map((place): Value => row[place] ?? null);
    const [known] =
      lookedUp === undefined || lookedUp.includes(null)
        ? []
        : connection.values({ sql: lookup!.sql, params: lookedUp });
    const params = writtenValues(collection, row);
    const insert: Statement = { sql, params: allowed === undefined ? params : [...params, ...allowed.params] };
    try {
      if (before !== undefined && connection.number({ ...before, params: [...row, ...before.params] }) !== 1) {
        throw rowDenied(collection.name).with({ index });
      }
      const [stored, written] = rulesFirst(connection, allowed !== undefined, () => {
        const stored = isReturned ? undefined : connection.insert(insert);
        const [written] = stored === undefined ? connection.values(insert) : stored.changes > 0 ? [[]] : [];
        const isDenied =
          written === undefined ? allowed?.met !== undefined : allowed && Number(written[known ? 2 : 1]) !== 1;
        if (isDenied) throw rowDenied(collection.name);
        return [stored, written];
      });
      if (written === undefined) continue;
      if (plan.returning !== undefined) changed.push(countReturned(written[0] as string));
      areNew.push(known === undefined);
      const given = keyPlaces.map((place): Value => row[place] ?? null);
      last = { known, given, row: Number(stored?.lastInsertRowid) };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (isReferenceError(error)) throw new BrokenReference(index);
      if (areKeysUsedUp(connection, collection, error)) throw keysExhausted(collection);
      const translated = translateError(error, {
        collection,
        given: (name) => row[fields.findIndex((field) => field.name === name)],
      });
      const isTaken = translated instanceof ApiError && translated.code === '23505' && lookup === undefined;
      // SQLite reports any of several conflicts. PostgreSQL reports the key first, then the other constraints in order.
      const first = isTaken ? firstBadRow(connection, plan, 'duplicates', index) : undefined;
      throw first ?? withRowIndex(translated, index, plan.rows.length > 1);
    }
  }
  const written = { affected: areNew.length, inserted: areNew.filter((isNew) => isNew).length, changed, areNew };
  if (last === undefined || areNew.length > 1) return written;
  const { known, given, row } = last;
  const key = given.includes(null) ? [Number.isSafeInteger(row) ? row : assignedKey(connection)] : given;
  const texts = keyFields.map(({ type }, index) => type.print(valueIn(type, key[index]!)));
  return { ...written, key: (known as string[] | undefined) ?? texts };
}

/** The key of the last inserted row, with all digits even beyond a double. */
function assignedKey(connection: Connection): Value {
  const [[text]] = connection.values('select cast(last_insert_rowid() as text)') as [[string]];
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}

/** SQLite reports a full disk when the largest row id is used. */
function areKeysUsedUp(connection: Connection, { name, assigned }: Collection, error: unknown): boolean {
  if (assigned === undefined || !(error instanceof SQLiteError) || error.code !== 'SQLITE_FULL') return false;
  const sql = 'select 1 from sqlite_sequence where name = ? and seq = 9223372036854775807';
  return connection.values({ sql, params: [name] }).length > 0;
}

/** Reserves keys that later rows choose, so that none of them is assigned to an earlier row. */
function passChosen(connection: Connection, { into, rows }: InsertPlan): void {
  const { assigned, fields } = into;
  if (assigned === undefined) return;
  const place = fields.indexOf(assigned);
  const chosen = rows.flatMap((row) => row[place] ?? []);
  if (chosen.length === 0 || chosen.length === rows.length) return;
  const largest = chosen.reduce((most, value) => (value! > most! ? value : most));
  advanceKey(connection, into, sqliteDialect.stored(largest, assigned.type));
}
