/** Inserts, updates or deletes the rows of a step, one statement after the other. */
import { SQLiteError } from 'bun:sqlite';
import { ApiError } from '../../../base/errors.ts';
import { rowDenied } from '../../../collection/access/permission-errors.ts';
import { allReferences, type Collection, fieldsOf } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { checkMissing, duplicateKey, keysExhausted, printValues, withRowIndex } from '../../shared/write-checks.ts';
import { identifier, type Statement } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { spendRow } from '../connection/deadline.ts';
import { BrokenReference, type GivenValue, isReferenceError, translateError } from '../errors.ts';
import { valueIn } from '../functions/stored-values.ts';
import { countReturned } from '../read/byte-budget.ts';
import { advanceKey } from './assigned-keys.ts';
import { checkReferences, type StoredReference } from './broken-references.ts';
import type { Step } from './jobs.ts';

export interface Written {
  readonly affected: number;
  readonly inserted: number;
  /** The text forms of the key, if exactly one row was written. */
  readonly key?: readonly string[];
  /** The rows that do not exist, if a bulk update ignores them. */
  readonly missing?: number;
  /** The changed rows as JSON lists, if the answer needs them. */
  readonly changed: readonly string[];
}

type InsertStep = Extract<Step, { kind: 'insert' }>;
type ChangeStep = Extract<Step, { kind: 'change' }>;
type ChangeEachStep = Extract<Step, { kind: 'change-each' }>;

export function writeRows(connection: Connection, collection: Collection, step: Step): Written {
  switch (step.kind) {
    case 'insert':
      return insertRows(connection, collection, step);
    case 'change':
      return changeRows(connection, collection, step);
    case 'change-each':
      return changeEach(connection, collection, step);
  }
}

/** Checks references after all rows are stored: rows of one request may refer to each other in any order. */
function insertRows(connection: Connection, collection: Collection, step: InsertStep): Written {
  const refersToItself = step.rows.length > 1 && allReferences(collection).some(({ to }) => to === collection.name);
  if (!refersToItself) return insertEach(connection, collection, step, () => {});
  const references: StoredReference[] = [];
  connection.execute('pragma defer_foreign_keys = on');
  try {
    const written = insertEach(connection, collection, step, (row, isNew, index) => {
      for (const reference of allReferences(collection)) {
        const places = fieldsOf(reference).map((field) => collection.fields.indexOf(field));
        const isStored = isNew || places.some((place) => step.meets!.overwrites.includes(place));
        const values = places.map((place): Value => row[place] ?? null);
        if (isStored && !values.includes(null)) references.push({ reference, values, index });
      }
    });
    checkReferences(connection, collection, references);
    return written;
  } finally {
    // Other jobs share the transaction. SQLite also forgets the violations it has counted, so all are checked before.
    connection.execute('pragma defer_foreign_keys = off');
  }
}

/** Reports each row that is stored, and not ignored as a duplicate, to `stored`. */
function insertEach(
  connection: Connection,
  collection: Collection,
  step: InsertStep,
  stored: (row: readonly Value[], isNew: boolean, index: number) => void,
): Written {
  const { fields, assigned, key: keyFields } = collection;
  const keyPlaces = keyFields.map((field) => fields.indexOf(field));
  if (assigned !== undefined) passChosen(connection, collection, step);
  const changed: string[] = [];
  let affected = 0;
  let inserted = 0;
  let key: readonly string[] | undefined;
  const keyTexts = (values: readonly Value[]) =>
    values.map((stored, index) => keyFields[index]!.type.print(valueIn(keyFields[index]!.type, stored)));
  for (const [index, row] of step.rows.entries()) {
    spendRow();
    const met = step.meets?.places.map((place): Value => row[place] ?? null);
    const [known] =
      met === undefined || met.includes(null) ? [] : connection.values({ sql: step.meets!.sql, params: met });
    const insert: Statement = {
      sql: step.sql,
      params: step.allowed === undefined ? row : [...row, ...step.allowed.params],
    };
    const given = keyPlaces.map((place): Value => row[place] ?? null);
    try {
      if (step.before !== undefined) {
        const { sql, params } = step.before;
        if (connection.number({ sql, params: [...row, ...params] }) !== 1)
          throw rowDenied(collection.name).with({ index });
      }
      if (step.returning === undefined && step.allowed === undefined) {
        const { changes, lastInsertRowid } = connection.run(insert);
        affected += changes;
        if (changes === 0) continue;
        const made = () => (given.includes(null) ? [assignedKey(connection, lastInsertRowid)] : given);
        key = known === undefined ? keyTexts(made()) : (known as string[]);
        if (known === undefined) inserted++;
      } else {
        const [written] = connection.values(insert);
        if (written === undefined && step.allowed?.met !== undefined) throw rowDenied(collection.name);
        if (written === undefined) continue;
        if (step.allowed !== undefined && Number(written[known === undefined ? 1 : 2]) !== 1) {
          throw rowDenied(collection.name);
        }
        affected++;
        if (known === undefined) inserted++;
        const text = step.returning === undefined ? undefined : (written[0] as string);
        const assignedNumber = () =>
          text === undefined ? connection.number(LAST_KEY) : (JSON.parse(text) as number[]).flat()[keyPlaces[0]!]!;
        const made = () => (given.includes(null) ? [assignedKey(connection, assignedNumber())] : given);
        key = known === undefined ? keyTexts(made()) : (known as string[]);
        if (text !== undefined) changed.push(countReturned(text));
      }
      stored(row, known === undefined, index);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (isReferenceError(error)) throw new BrokenReference(index);
      if (areKeysUsedUp(connection, collection, error)) throw keysExhausted(collection);
      const giving: GivenValue = (name) => row[fields.findIndex((field) => field.name === name)];
      const told = translateError(error, { collection, given: giving });
      const isTaken = told instanceof ApiError && told.code === '23505' && step.meets === undefined;
      const first = isTaken ? firstTaken(connection, collection, row) : undefined;
      throw withRowIndex(first ?? told, index, step.rows.length > 1);
    }
  }
  return affected !== 1 || key === undefined ? { affected, inserted, changed } : { affected, inserted, changed, key };
}

/** SQLite reports any of several conflicts. PostgreSQL reports the key first, then the other constraints in order. */
function firstTaken(connection: Connection, collection: Collection, row: readonly Value[]): ApiError | undefined {
  const { name, fields, key, unique } = collection;
  for (const set of [key, ...unique.map((each) => each.fields)]) {
    const params = set.map((field): Value => row[fields.indexOf(field)] ?? null);
    if (params.includes(null)) continue;
    const same = set.map((field) => `${identifier(field.name)} = ?`).join(' and ');
    const [found] = connection.values({ sql: `select 1 from ${identifier(name)} where ${same}`, params });
    const values = set.map(({ type }, index) => valueIn(type, params[index]!));
    if (found !== undefined) return duplicateKey(collection, set, printValues(set, values));
  }
  return undefined;
}

const LAST_KEY: Statement = { sql: 'select last_insert_rowid()', params: [] };

/** The key of the last inserted row, with all digits even beyond a double. */
function assignedKey(connection: Connection, number: number): Value {
  if (Number.isSafeInteger(number)) return number;
  const [[text]] = connection.values({ sql: 'select cast(last_insert_rowid() as text)', params: [] }) as [[string]];
  return BigInt(text);
}

/** SQLite reports a full disk when the largest row id is used. */
function areKeysUsedUp(connection: Connection, { name, assigned }: Collection, error: unknown): boolean {
  if (assigned === undefined || !(error instanceof SQLiteError) || error.code !== 'SQLITE_FULL') return false;
  const sql = 'select 1 from sqlite_sequence where name = ? and seq = 9223372036854775807';
  return connection.values({ sql, params: [name] }).length > 0;
}

/** Reserves keys that later rows choose, so that none of them is assigned to an earlier row. */
function passChosen(connection: Connection, collection: Collection, { rows }: InsertStep): void {
  const place = collection.fields.indexOf(collection.assigned!);
  const chosen = rows.flatMap((row) => row[place] ?? []);
  if (chosen.length === 0 || chosen.length === rows.length) return;
  const largest = chosen.reduce((most, value) => (value! > most! ? value : most));
  advanceKey(connection, collection, largest);
}

function changeRows(connection: Connection, collection: Collection, step: ChangeStep): Written {
  try {
    const { affected, changed } = change(connection, collection, step, step.returning !== undefined);
    const newKey = collection.assigned === undefined ? undefined : step.set[collection.assigned.name];
    // SQLite tracks only inserted keys, so a key set by an update is reserved here.
    if (affected > 0 && newKey !== undefined) advanceKey(connection, collection, newKey);
    return { affected, inserted: 0, changed };
  } catch (error) {
    throw translateError(error, { collection, given: (name) => step.set[name] });
  }
}

/** The codes of errors in computing a value. */
const VALUE_ERROR = /^(22|0A)/;

function changeEach(connection: Connection, collection: Collection, step: ChangeEachStep): Written {
  const missing: { readonly key: readonly Value[]; readonly index: number }[] = [];
  const wantRows = step.returning !== undefined;
  const by = step.shapes[0]?.by.map((name) => collection.byName.get(name)!) ?? collection.key;
  const { assigned } = collection;
  const changed = step.changes.flatMap(({ shape, params }, index) => {
    spendRow();
    const { sql, params: more, names, isRuled } = step.shapes[shape]!;
    const given: GivenValue = (name) => (names.includes(name) ? params[names.indexOf(name)] : undefined);
    try {
      const statement = { sql, params: more.length === 0 ? params : [...params, ...more] };
      const written = change(connection, collection, { statement, isRuled }, wantRows);
      const newKey = assigned && given(assigned.name);
      if (written.affected === 0) {
        const key = params.slice(names.length).map((value, at) => valueIn(by[at]!.type, value));
        missing.push({ key, index });
      } else if (newKey !== undefined && !by.includes(assigned!)) advanceKey(connection, collection, newKey);
      return written.changed;
    } catch (error) {
      if (isReferenceError(error)) throw new BrokenReference(index);
      if (error instanceof ApiError && !VALUE_ERROR.test(error.code)) throw error;
      throw withRowIndex(translateError(error, { collection, given }), index, true);
    }
  });
  const among = step.isConditional ? true : undefined;
  const counted = checkMissing({ into: collection, by, ignoresMissing: step.ignoresMissing, among }, missing);
  return { affected: step.changes.length - missing.length, inserted: 0, changed, ...counted };
}

function change(
  connection: Connection,
  { name }: Collection,
  { statement, isRuled = false }: Pick<ChangeStep, 'statement' | 'isRuled'>,
  wantRows: boolean,
): Pick<Written, 'affected' | 'changed'> {
  if (!wantRows && !isRuled) return { affected: connection.run(statement).changes, changed: [] };
  const changed = connection.values(statement);
  if (isRuled && changed.some(([, isAllowed]) => Number(isAllowed) !== 1)) throw rowDenied(name);
  return { affected: changed.length, changed: wantRows ? changed.map(([row]) => row as string) : [] };
}
