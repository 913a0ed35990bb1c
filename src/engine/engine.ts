/**
 * Stage 4, engine: a plan is carried out.
 *
 * In: a plan. Out: rows and counts. Guarantees: a read sees one moment of the data; a write happens wholly or not at
 * all, and its promise resolves only when it is durable. Knows plans, SQL and its driver; every value it passes on is a
 * bound parameter, every identifier comes from the declaration. Refuses: constraint violations (23502, 23505),
 * PGRST116, PGRST124, CAT404, CAT412, CAT422, CAT503, CAT507.
 */
import type { Row, Value } from '../collection/value.ts';
import type { ReadPlan, WritePlan } from '../plan/types.ts';

export type MaybePromise<T> = T | Promise<T>;

export interface ReadResult {
  readonly rows: readonly Row[];
  /** All rows that match, whatever the page; present when a count was asked for. */
  readonly total?: number;
}

export interface WriteResult {
  /** Rows inserted, changed or removed. */
  readonly affected: number;
  /** Of these, rows that were not there before. */
  readonly inserted: number;
  /** The key of the row, where exactly one was inserted or replaced. */
  readonly key?: Value;
  /** Present when the plan asks for them back. */
  readonly rows?: readonly Row[];
  /** The answer of an earlier request with the same idempotency key. */
  readonly replayed?: boolean;
}

export interface Engine {
  /** Where the data is, for people; without secrets. */
  readonly location: string;
  /** May answer at once, so that a quick read costs no turn of the event loop. */
  read(plan: ReadPlan): MaybePromise<ReadResult>;
  write(plan: WritePlan): Promise<WriteResult>;
  close(): Promise<void>;
}
