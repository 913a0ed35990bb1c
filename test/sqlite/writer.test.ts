/**
 * The order of writes: quick ones share a commit, costly ones run alone and alternate with them, and none waits for
 * ever.
 */
import { describe, expect, test } from 'bun:test';
import { ApiError, type ApiErrorData } from '../../src/base/errors.ts';
import {
  DRY_RUN_ATTEMPTS,
  MAX_SHARED_ROWS,
  MAX_WAITING_STATEMENTS,
  MAX_WAITING_WRITES,
} from '../../src/base/limits/engine.ts';
import { declareCollection } from '../../src/collection/declaration.ts';
import type { ThreadResult } from '../../src/engine/shared/thread.ts';
import { type Commit, type WriteList, Writer } from '../../src/engine/sqlite/write/writer.ts';
import { WHOLE_ROW_JSON } from '../../src/plan/read/read.ts';
import { ALWAYS } from '../../src/plan/types.ts';

/** Creates a list of one write, which the tests identify by its collection. */
const list = (name: string, dryRun = false): WriteList => {
  const into = declareCollection({ name, key: ['id'], fields: [{ name: 'id', type: 'int4' }] });
  const plan = { kind: 'delete', into, where: ALWAYS, singular: false, mustExist: false } as const;
  return { writes: [{ plan, encoding: WHOLE_ROW_JSON }], dryRun };
};

/** Creates a writer whose commits end when the test ends them. `most` is the maximum number of lists per commit. */
function slowWriter(most = 1_000, queueSeconds = 100) {
  const batches: string[][] = [];
  let isInterrupted = false;
  let interrupted = Promise.withResolvers<void>();
  const ends: (() => void)[] = [];
  const commit: Commit = (lists) => {
    const taken = lists.slice(0, most);
    batches.push(taken.map(({ writes }) => writes[0]!.plan.into.name));
    isInterrupted = false;
    return new Promise((resolve) => {
      ends.push(() => {
        const error = { code: '57014', message: 'interrupted' } as ApiErrorData;
        const done: ThreadResult = { kind: 'done', results: [{ affected: 1, inserted: 0 }] };
        resolve(taken.map(() => (isInterrupted ? { kind: 'rejected', error } : done)));
      });
    });
  };
  const interrupt = () => {
    isInterrupted = true;
    interrupted.resolve();
    interrupted = Promise.withResolvers();
  };
  const writer = new Writer(commit, queueSeconds, { interrupt, isAwaited: () => false });
  const endOne = async () => {
    while (ends.length === 0) await new Promise(setImmediate);
    ends.shift()!();
    await new Promise(setImmediate);
  };
  return { writer, batches, endOne, interruption: () => interrupted.promise };
}

async function endAll({ endOne }: ReturnType<typeof slowWriter>, writes: readonly Promise<unknown>[]): Promise<void> {
  let isOver = false;
  const over = Promise.all(writes).finally(() => {
    isOver = true;
  });
  while (!isOver) await Promise.race([endOne(), over]);
}

describe('the writer', () => {
  test('performs costly writes one by one, and all quick writes after each', async () => {
    const slow = slowWriter();
    const { writer, batches, endOne } = slow;
    const writes = [writer.write(list('c1'), false), writer.write(list('c2'), false), writer.write(list('c3'), false)];
    await new Promise(setImmediate);
    writes.push(writer.write(list('q1'), true), writer.write(list('q2'), true));
    await endOne();
    writes.push(writer.write(list('q3'), true));
    await endAll(slow, writes);
    expect(batches).toEqual([['c1'], ['q1', 'q2'], ['c2'], ['q3'], ['c3']]);
    expect([writer.commits, writer.writes, writer.waitingCount]).toEqual([5, 6, 0]);
  });

  test('keeps the order of quick writes that did not fit into a commit, and runs a costly write in between', async () => {
    const slow = slowWriter(2);
    const { writer, batches } = slow;
    const writes = ['q1', 'q2', 'q3', 'q4', 'q5'].map((name) => writer.write(list(name), true));
    writes.push(writer.write(list('c1'), false));
    await endAll(slow, writes);
    expect(batches).toEqual([['q1', 'q2'], ['c1'], ['q3', 'q4'], ['q5']]);
    expect(writer.writes).toBe(6);
  });

  test('performs quick writes of many rows one by one, and others between them, but accepts any number', async () => {
    const slow = slowWriter();
    const { writer, batches } = slow;
    const long = (name: string): WriteList => ({
      dryRun: false,
      writes: Array.from({ length: MAX_SHARED_ROWS + 1 }, () => list(name).writes[0]!),
    });
    const writes = ['b1', 'b2', 'b3'].map((name) => writer.write(long(name), true));
    writes.push(writer.write(list('q1'), true));
    await slow.endOne();
    writes.push(writer.write(list('q2'), true));
    await endAll(slow, writes);
    expect(batches).toEqual([['q1'], ['b1'], ['q2'], ['b2'], ['b3']]);
    const many = Array.from({ length: MAX_WAITING_WRITES + 1 }, () => writer.write(long('b'), true));
    await endAll(slow, many);
    expect(writer.writes).toBe(5 + many.length);
  });

  test('rejects costly writes at once when their queue is full, but accepts quick ones', async () => {
    const slow = slowWriter();
    const { writer } = slow;
    const writes = Array.from({ length: MAX_WAITING_WRITES }, () => writer.write(list('c'), false));
    const refused = await writer.write(list('c'), false).catch((error) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect([refused.code, refused.headers['retry-after']]).toEqual(['CAT503', '1']);
    writes.push(writer.write(list('q'), true));
    await endAll(slow, writes);
    expect(writer.writes).toBe(MAX_WAITING_WRITES + 1);
  });

  test('rejects a costly write that has waited too long, and never starts it', async () => {
    const slow = slowWriter(1_000, 0);
    const { writer, batches } = slow;
    const first = writer.write(list('c1'), false);
    await new Promise(setImmediate);
    const second = await writer.write(list('c2'), false).catch((error) => error);
    expect(second.code).toBe('CAT503');
    await endAll(slow, [first, writer.write(list('q1'), true)]);
    expect(batches).toEqual([['c1'], ['q1']]);
  });

  test('rejects quick writes that have waited too long, and never starts them', async () => {
    const slow = slowWriter(1_000, 0);
    const { writer, batches } = slow;
    const first = writer.write(list('q1'), true);
    await new Promise(setImmediate);
    const waiting = ['q2', 'q3'].map((name) => writer.write(list(name), true).catch((error) => error));
    for (const refused of await Promise.all(waiting)) {
      expect([refused.code, refused.headers['retry-after']]).toEqual(['CAT503', '1']);
    }
    await endAll(slow, [first]);
    expect(batches).toEqual([['q1']]);
  });

  test('rejects quick writes at once when their queue is full', async () => {
    const slow = slowWriter();
    const { writer } = slow;
    const writes = Array.from({ length: MAX_WAITING_STATEMENTS }, () => writer.write(list('q'), true));
    const refused = await writer.write(list('q'), true).catch((error) => error);
    expect([refused.code, refused.headers['retry-after']]).toEqual(['CAT503', '1']);
    await endAll(slow, writes);
    expect(writer.writes).toBe(MAX_WAITING_STATEMENTS);
  });

  test('carries out costly writes in the order of their arrival, and dry runs among them', async () => {
    const slow = slowWriter();
    const { writer, batches } = slow;
    const writes = [list('d1', true), list('c1'), list('d2', true), list('c2')].map((each) =>
      writer.write(each, false),
    );
    await endAll(slow, writes);
    expect(batches).toEqual([['d1'], ['c1'], ['d2'], ['c2']]);
  });

  test('commits quick writes while the rows of another write are sent', async () => {
    const batches: string[][] = [];
    let quick: Promise<unknown> | undefined;
    const writer: Writer = new Writer(async (lists, whileSending) => {
      const names = lists.map(({ writes }) => writes[0]!.plan.into.name);
      if (names.includes('many')) {
        quick = writer.write(list('q1'), true);
        await whileSending();
      }
      batches.push(names);
      return lists.map(() => ({ kind: 'done', results: [{ affected: 1, inserted: 0 }] }));
    });
    await writer.write(list('many'), false);
    await quick;
    expect(batches).toEqual([['q1'], ['many']]);
  });

  test('interrupts a dry run that others wait for, and repeats it after them and after other dry runs', async () => {
    const slow = slowWriter();
    const { writer, batches, endOne, interruption } = slow;
    const dryRuns = [writer.write(list('d1', true), false), writer.write(list('d2', true), false)];
    await new Promise(setImmediate);
    const writes = [writer.write(list('c1'), false), writer.write(list('q1'), true), ...dryRuns];
    await interruption();
    await endAll(slow, writes);
    expect(batches).toEqual([['d1'], ['q1'], ['c1'], ['d2'], ['d1']]);
    const endless = writer.write(list('d3', true), false).catch((error) => error);
    for (let attempt = 0; attempt < DRY_RUN_ATTEMPTS; attempt++) {
      await new Promise(setImmediate);
      const quick = writer.write(list('q2'), true);
      await interruption();
      await endOne();
      await endOne();
      await quick;
    }
    expect((await endless).code).toBe('57014');
    expect(batches.slice(5)).toEqual(Array.from({ length: DRY_RUN_ATTEMPTS }, () => [['d3'], ['q2']]).flat());
  });

  test('alternates between dry runs and writes that store, however many dry runs are waiting', async () => {
    const slow = slowWriter();
    const { writer, batches } = slow;
    const dryRuns = Array.from({ length: MAX_WAITING_WRITES }, (_, index) => list(`d${index}`, true));
    const writes = [...dryRuns, list('c0'), list('c1')].map((each) => writer.write(each, false));
    await endAll(slow, writes);
    expect(batches.slice(0, 5)).toEqual([['d0'], ['c0'], ['d1'], ['c1'], ['d2']]);
    expect(writer.writes).toBe(MAX_WAITING_WRITES + 2);
  });
});
