/**
 * Stores inserts of a list, or of several requests, by one statement. With a statement for each of a list, the
 * transaction would stay open for long, and the readers of the log wait for open transactions.
 */
import { ApiError } from '../../../base/errors.ts';
import { MAX_SHARED_ROW_LENGTH, MAX_SHARED_ROWS } from '../../../base/limits/engine.ts';
import type { Collection } from '../../../collection/declaration.ts';
import { treeReferences } from '../../../collection/tree.ts';
import type { InsertPlan, Origin } from '../../../plan/write-plan.ts';
import type { Write, WriteOptions, WriteResult } from '../../engine.ts';
import type { Pool } from '../connections/pool.ts';
import { query, type Runner } from '../driver.ts';
import { isFull, isLoss, isSurelyUndone, sqlState } from '../errors.ts';
import { rowsAsJson } from './input-rows.ts';
import { compileInserts } from './statements.ts';
import type { Step, WriteContext } from './step.ts';
import { confirm, UnconfirmedCommit } from './transaction.ts';

export interface InsertStep extends Step {
  readonly plan: InsertPlan;
}

/** Then each of the inserts runs alone, so that none waits for the locked row of another. */
const LOCK_MS = 50;

export function sharedInserts(steps: readonly Step[], from: number): readonly InsertStep[] {
  const found: InsertStep[] = [];
  for (let index = from; index < steps.length; index++) {
    const step = steps[index]!;
    const [first = step] = found;
    if (!isPlain(step) || !isAlike(step.plan, first.plan as InsertPlan)) break;
    found.push(step);
  }
  return found;
}

/** Whether nothing is checked or returned for each of them. Triggers of an adopted table may see the rows before. */
export function isPlain(step: Step): step is InsertStep {
  const { plan, context, isDependent } = step;
  const { into, singular, maxAffected, affects, preconditions, restriction, returning } = plan;
  const options = [isDependent, maxAffected, affects, preconditions, restriction, returning];
  return (
    plan.kind === 'insert' &&
    plan.conflict === 'refuse' &&
    !singular &&
    options.every((option) => option === undefined) &&
    !context.adopted.collections.has(into) &&
    treeReferences(into).length === 0 &&
    into.fields.every(({ copies }) => copies === undefined)
  );
}

function isAlike({ into, given }: InsertPlan, other: InsertPlan): boolean {
  return (
    into === other.into && given.length === other.given.length && given.every((field) => other.given.includes(field))
  );
}

export function mergedPlan(steps: readonly InsertStep[]): InsertPlan {
  return { ...steps[0]!.plan, rows: steps.flatMap(({ plan }) => plan.rows) };
}

/** `json` are the rows of the merged plan. */
export async function insertTogether(
  runner: Runner,
  steps: readonly InsertStep[],
  json: string,
  lockMs?: number,
): Promise<readonly WriteResult[]> {
  const origins = steps.flatMap(({ context: { origin }, plan: { rows } }) => rows.map(() => origin));
  const statement = compileInserts(steps[0]!.context, mergedPlan(steps), json, origins, lockMs);
  const [written] = await query<{ keys: readonly (readonly string[])[] }>(runner, statement);
  const keys = written!.keys.values();
  return steps.map(({ plan: { rows } }) => {
    const [key] = keys.take(rows.length).toArray();
    return { affected: rows.length, inserted: rows.length, ...(rows.length === 1 && key !== undefined && { key }) };
  });
}

/** Stores rows of several requests by one statement, which waits for no locked row. */
export function insertShared(
  pool: Pool,
  steps: readonly InsertStep[],
  limitMs: number,
): Promise<readonly WriteResult[]> {
  return pool.dedicated('write', async (connection) => {
    const startedAt = performance.now();
    const { into, rows } = mergedPlan(steps);
    const json = rowsAsJson(into.fields, rows);
    const results = await insertTogether(connection, steps, json, LOCK_MS).catch((error) => {
      throw isSurelyUndone(error) ? error : new UnconfirmedCommit(error);
    });
    await confirm(connection, startedAt, limitMs);
    return results;
  });
}

/** The next inserts wait for the ones before no longer than this: these may wait for a locked row. */
const WAIT_MS = 20;

/** While PostgreSQL syncs one, it executes the other. */
const PARALLEL_STATEMENTS = 2;

type Results = readonly WriteResult[];

interface SingleInsert extends Write {
  readonly plan: InsertPlan;
}

interface Insert {
  readonly write: SingleInsert;
  readonly origin: Origin | undefined;
}

interface Waiting extends Insert {
  readonly runAlone: () => Promise<Results>;
  readonly resolve: (results: Promise<Results>) => void;
}

/**
 * Inserts of single rows by different requests. Those that arrive while others are stored share the next statement, as
 * writes share a commit on SQLite. If it fails, it has stored nothing, and each of its inserts runs alone, unless it
 * would wait as long and fail again.
 */
export class InsertQueue {
  /** By the fields that are stored. A queue exists while inserts are being stored. */
  private readonly queues = new Map<string, { readonly waiting: Waiting[]; running: number }>();

  /** Those whose triggers need a statement for each insert. */
  private readonly alone = new Set<Collection>();

  /** `store` returns a result for each. It passes on an error of the server before it translates it. */
  constructor(
    private readonly store: (inserts: readonly Insert[], onError: (error: unknown) => void) => Promise<Results>,
  ) {}

  add(write: SingleInsert, origin: Origin | undefined, runAlone: () => Promise<Results>): Promise<Results> {
    if (this.alone.has(write.plan.into)) return runAlone();
    return new Promise((resolve) => {
      const { into, given } = write.plan;
      const name = JSON.stringify([into.name, ...given.map((field) => field.name)]);
      const queue = this.queues.get(name) ?? { waiting: [], running: 0 };
      this.queues.set(name, queue);
      queue.waiting.push({ write, origin, runAlone, resolve });
      if (queue.running === PARALLEL_STATEMENTS) return;
      queue.running++;
      // Deferred, so that all requests of this turn of the event loop share a statement.
      setImmediate(() => this.drain(name));
    });
  }

  private async drain(name: string): Promise<void> {
    const queue = this.queues.get(name)!;
    while (queue.waiting.length > 0) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, WAIT_MS);
      });
      await Promise.race([this.insert(queue.waiting.splice(0, MAX_SHARED_ROWS)), late]);
      clearTimeout(timer);
    }
    if (--queue.running === 0) this.queues.delete(name);
  }

  private async insert(inserts: readonly Waiting[]): Promise<void> {
    const together = inserts.length === 1 ? Promise.resolve(undefined) : this.insertTogether(inserts);
    const all = inserts.map(({ runAlone, resolve }, index) => {
      const results = together.then((found) => (found === undefined ? runAlone() : [found[index]!]));
      resolve(results);
      return results;
    });
    await Promise.allSettled(all);
  }

  /** Undefined if the statement failed and one row may be the cause: then it has stored nothing. */
  private async insertTogether(inserts: readonly Insert[]): Promise<Results | undefined> {
    let mayOneFail = false;
    const onError = (error: unknown) => {
      mayOneFail = !failsAlone(error);
      if (isUnshareable(error)) this.alone.add(inserts[0]!.write.plan.into);
    };
    return this.store(inserts, onError).catch((error) => {
      if (!mayOneFail) throw error;
      return undefined;
    });
  }
}

/** Whether each insert would fail alone as well, after the same time. */
function failsAlone(error: unknown): boolean {
  const code = error instanceof ApiError ? error.code : sqlState(error);
  return code === '57014' || code === 'CAT503' || isLoss(error) || isFull(error);
}

/** Whether the checks of the statement itself failed. They end in a text that is no JSON. */
function isUnshareable(error: unknown): boolean {
  return sqlState(error) === '22P02';
}

/** The insert of one short row that nothing checks and nobody reads, with an assigned key. */
export function singleInsert(
  [write, ...others]: readonly Write[],
  { dryRun, retry }: WriteOptions,
  context: WriteContext,
): SingleInsert | undefined {
  const step = { ...write!, context };
  if (others.length > 0 || dryRun || retry !== undefined || !isPlain(step)) return undefined;
  const { rows, given, into } = step.plan;
  if (rows.length !== 1 || (into.assigned !== undefined && given.includes(into.assigned))) return undefined;
  const length = rows[0]!.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
  return length <= MAX_SHARED_ROW_LENGTH ? step : undefined;
}
