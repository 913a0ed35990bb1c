/** Whatever was left halfway on a connection, the next read on it is of what is stored by then. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test';
import { CountedMark } from '../../src/engine/sqlite/change-mark.ts';
import { Connection } from '../../src/engine/sqlite/connection.ts';
import { checkDeadline, clearDeadline, setDeadline } from '../../src/engine/sqlite/deadline.ts';
import { openSqlite } from '../../src/engine/sqlite/index.ts';
import { Snapshot } from '../../src/engine/sqlite/snapshot.ts';
import { newFile, TEST_OPTIONS } from '../support/sqlite.ts';

const COUNT = { sql: 'select count(*) from counted', params: [] };
const ALL = { sql: 'select number from counted', params: [] };

let other: Database;
let connection: Connection;
beforeEach(() => {
  const path = newFile();
  other = new Database(path);
  other.run('pragma journal_mode = wal');
  other.run('create table counted (number)');
  other.run('insert into counted values (1), (2), (3), (4), (5)');
  connection = new Connection(path, { readOnly: true });
});
afterEach(() => {
  connection.close();
  other.close();
});

const writeOne = () => void other.run('insert into counted values (0)');
const emptyLog = () => other.query<{ busy: number }, []>('pragma wal_checkpoint(truncate)').get()!.busy === 0;

describe('on a connection', () => {
  test('a list that nobody reads on is ended by settle, and by its own end', () => {
    const chunks = connection.chunks(ALL, { rows: 2, length: 1_000 });
    expect(chunks.next().value).toEqual([{ number: 1 }, { number: 2 }]);
    writeOne();
    expect(emptyLog()).toBe(false);
    expect(connection.settle()).toBe(true);
    expect(connection.number(COUNT)).toBe(6);
    expect(emptyLog()).toBe(true);
    expect([...connection.chunks(ALL, { rows: 4, length: 1_000 })].map((rows) => rows.length)).toEqual([4, 2]);
    expect(emptyLog()).toBe(true);
  });

  test('a list that is not even begun leaves nothing behind', () => {
    const chunks = connection.chunks(ALL, { rows: 2, length: 1_000 });
    chunks.return();
    writeOne();
    expect(connection.settle()).toBe(true);
    expect(connection.number(COUNT)).toBe(6);
    expect(emptyLog()).toBe(true);
  });

  test('the plan of a statement leaves nothing behind', () => {
    expect(connection.explain(COUNT)).toHaveLength(1);
    connection.begin();
    expect(connection.number(COUNT)).toBe(5);
    expect(connection.settle()).toBe(true);
    writeOne();
    expect(connection.number(COUNT)).toBe(6);
    expect(emptyLog()).toBe(true);
  });

  /** As `explain` leaves it behind where it is kept prepared: SQLite does not end it with its last row. */
  const leaveHalfway = () => connection.rows({ sql: `explain ${COUNT.sql}`, params: [] });

  test('a statement that was left halfway is found out, and is the last of its kind', () => {
    leaveHalfway();
    connection.begin();
    expect(connection.number(COUNT)).toBe(5);
    connection.commit();
    writeOne();
    expect(connection.number(COUNT)).toBe(5);
    expect(connection.settle()).toBe(false);
    expect(connection.number(COUNT)).toBe(6);
    expect(connection.settle()).toBe(true);
    expect(emptyLog()).toBe(true);
  });

  test('a snapshot never shows what a statement that was left halfway would: it is counted, and the data is read anew', () => {
    const changes = new CountedMark();
    const snapshot = new Snapshot(connection);
    const count = () => {
      snapshot.refresh(changes.current());
      return snapshot.during(() => connection.number(COUNT));
    };
    expect(count()).toBe(5);
    expect(snapshot.stale).toBe(0);
    leaveHalfway();
    expect(count()).toBe(5);
    writeOne();
    changes.changed();
    expect(count()).toBe(6);
    expect(snapshot.stale).toBe(1);
    snapshot.close();
    expect(emptyLog()).toBe(true);
  });

  test('a reader is behind where a commit is told of that it does not see, until it sees it', () => {
    const changes = new CountedMark();
    const snapshot = new Snapshot(connection);
    expect(snapshot.isBehind(changes)).toBe(false);
    writeOne();
    changes.changed();
    expect(snapshot.isBehind(changes)).toBe(false);
    changes.changed();
    expect([snapshot.isBehind(changes), snapshot.isBehind(changes)]).toEqual([true, true]);
    writeOne();
    expect([snapshot.isBehind(changes), snapshot.isBehind(changes)]).toEqual([false, false]);
    snapshot.close();
  });
});

test('an engine tells that its reads are behind', async () => {
  const engine = openSqlite({ ...TEST_OPTIONS, path: newFile(), firstRows: () => [] });
  const changes = engine.changes!;
  const current = changes.current.bind(changes);
  expect(engine.trouble!()).toBeUndefined();
  changes.current = () => current() + 1;
  expect(engine.trouble!()).toBe('what is read is older than the data');
  expect(engine.metrics!().find(({ name }) => name === 'database_up')!.value).toBe(0);
  changes.current = current;
  expect(engine.trouble!()).toBeUndefined();
  await engine.close();
});

test('a time limit is kept by a clock that nobody sets', async () => {
  setDeadline(5);
  try {
    // As an administrator might, or the network.
    setSystemTime(new Date(Date.now() - 3_600_000));
    const startedAt = performance.now();
    while (performance.now() - startedAt < 10) await Bun.sleep(1);
    expect(checkDeadline).toThrow('statement timeout');
    setDeadline(60_000);
    setSystemTime(new Date(Date.now() + 7_200_000));
    expect(checkDeadline).not.toThrow();
  } finally {
    setSystemTime();
    clearDeadline();
  }
});
