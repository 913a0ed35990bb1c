/** An unfinished statement on a connection never makes the next read show outdated data. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { PRESENCE } from '../../src/collection/own-collections.ts';
import { Connection } from '../../src/engine/sqlite/connection/connection.ts';
import { checkDeadline, clearDeadline, setDeadline } from '../../src/engine/sqlite/connection/deadline.ts';
import { MemoryChangeCounter, Snapshot } from '../../src/engine/sqlite/connection/snapshot.ts';
import { openSqlite } from '../../src/engine/sqlite/engine.ts';
import { newFile, TEST_OPTIONS } from '../support/engines/sqlite.ts';

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
  test('a list that is not read to its end is ended by settle, and a completed list ends itself', () => {
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

  test('a list that is never started leaves no open statement', () => {
    const chunks = connection.chunks(ALL, { rows: 2, length: 1_000 });
    chunks.return();
    writeOne();
    expect(connection.settle()).toBe(true);
    expect(connection.number(COUNT)).toBe(6);
    expect(emptyLog()).toBe(true);
  });

  test('the plan of a statement leaves no open statement', () => {
    expect(connection.explain(COUNT)).toHaveLength(1);
    connection.begin();
    expect(connection.number(COUNT)).toBe(5);
    expect(connection.settle()).toBe(true);
    writeOne();
    expect(connection.number(COUNT)).toBe(6);
    expect(emptyLog()).toBe(true);
  });

  /** Leaves an unfinished statement. SQLite does not reset a cached `explain` statement after its last row. */
  const leaveHalfway = () => connection.rows({ sql: `explain ${COUNT.sql}`, params: [] });

  test('settle detects an unfinished statement and discards it', () => {
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

  test('a snapshot with an unfinished statement never shows outdated data: it is counted, and the data is read again', () => {
    const changes = new MemoryChangeCounter();
    const snapshot = new Snapshot(connection, changes);
    const count = () => {
      snapshot.refresh(changes.current());
      return snapshot.during(() => connection.number(COUNT));
    };
    expect(count()).toBe(5);
    expect(snapshot.stale).toBe(0);
    leaveHalfway();
    expect(count()).toBe(5);
    writeOne();
    changes.increment();
    expect(count()).toBe(6);
    expect(snapshot.stale).toBe(1);
    snapshot.close();
    expect(emptyLog()).toBe(true);
  });

  test('an open snapshot shows exactly the state of its change count', async () => {
    const changes = new MemoryChangeCounter();
    const snapshot = new Snapshot(connection, changes);
    const quietRefresh = async (changeCount: number) => {
      snapshot.refresh(changeCount);
      await Bun.sleep(60);
    };
    const countAtStart = changes.current();
    await quietRefresh(countAtStart);
    writeOne();
    changes.increment();
    snapshot.refresh(countAtStart);
    expect(snapshot.isStable).toBe(false);
    expect(connection.number(COUNT)).toBe(6);
    await quietRefresh(changes.current());
    snapshot.refresh(changes.current());
    expect(snapshot.isStable).toBe(true);
    writeOne();
    expect(connection.number(COUNT)).toBe(6);
    changes.increment();
    snapshot.refresh(changes.current());
    expect(connection.number(COUNT)).toBe(7);
    snapshot.close();
  });

  test('a reader is behind while it does not see an announced commit', () => {
    const changes = new MemoryChangeCounter();
    const snapshot = new Snapshot(connection, changes);
    expect(snapshot.isBehind()).toBe(false);
    writeOne();
    changes.increment();
    expect(snapshot.isBehind()).toBe(false);
    changes.increment();
    expect([snapshot.isBehind(), snapshot.isBehind()]).toEqual([true, true]);
    writeOne();
    expect([snapshot.isBehind(), snapshot.isBehind()]).toEqual([false, false]);
    snapshot.close();
  });
});

test('an engine reports that its reads are outdated', async () => {
  const engine = openSqlite({ ...TEST_OPTIONS, path: newFile(), firstRows: () => [] });
  const changes = engine.changes!;
  const current = changes.current.bind(changes);
  expect(engine.unreadyReason!()).toBeUndefined();
  changes.current = () => current() + 1;
  expect(engine.unreadyReason!()).toBe('what is read is older than the data');
  expect(engine.metrics!().find(({ name }) => name === 'database_up')!.value).toBe(0);
  changes.current = current;
  expect(engine.unreadyReason!()).toBeUndefined();
  await engine.close();
});

test('a time limit uses a clock that cannot be set', async () => {
  setDeadline(5);
  try {
    // An administrator or network time may set the clock back.
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

test('a damaged file of presence is replaced', async () => {
  const path = newFile();
  for (const suffix of ['', '-wal', '-shm']) writeFileSync(`${path}-presence${suffix}`, randomBytes(9_000));
  const engine = openSqlite({ ...TEST_OPTIONS, path, firstRows: () => [] });
  expect(await engine.transient!.ownTables([PRESENCE], { make: true })).toBe(true);
  await engine.close();
});
