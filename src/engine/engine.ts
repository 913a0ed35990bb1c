/**
 * Stage 4, engine: a plan is carried out.
 *
 * In: a plan. Out: rows and counts. Guarantees: a read sees one moment of the data; a write happens wholly or not at
 * all, and its promise resolves only when it is durable. Knows plans, SQL and its driver; every value it passes on is a
 * bound parameter, every identifier comes from the declaration. Refuses: constraint violations (23502, 23505),
 * PGRST116, PGRST124, CAT404, CAT412, CAT422, CAT503, CAT507.
 */
import type { Row, Value } from '../collection/value.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { ReadPlan, WritePlan } from '../plan/types.ts';
import type { LoadBatch, LoadResult, LoadTerms } from './load.ts';

export type MaybePromise<T> = T | Promise<T>;

/** A small result comes as rows; a large or costly one already encoded, in parts that are read as they are sent. */
export type ReadResult = ReadRows | ReadParts;

export interface ReadRows {
  readonly kind: 'rows';
  readonly rows: readonly Row[];
  /** All rows that match, whatever the page; present when a count was asked for. */
  readonly total?: number;
}

export interface ReadParts {
  readonly kind: 'parts';
  /** How many rows the parts hold together. */
  readonly returned: number;
  readonly total?: number;
  /** The values of the order keys in the last row, where the plan's columns show all of them. */
  readonly lastKeys?: readonly Value[] | undefined;
  /** The state of the data they are read from, where it can be told. */
  readonly state?: string;
  /** Text in the encoding asked for, whole when joined. Where it is but one part, it is here at once. */
  readonly parts: readonly [string] | AsyncIterator<Uint8Array, undefined>;
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

/** Tells whether the data may have changed, whoever changed it. */
export interface ChangeMark {
  /** Another number after every commit. Costs next to nothing. */
  current(): number;
  /** The state of the data as a text that no other state ever has. */
  tag(): string;
}

export interface Engine {
  /** Where the data is, for people; without secrets. */
  readonly location: string;
  /** Present where opening takes its time. Rejects where it can never succeed; what is asked meanwhile waits or is refused. */
  readonly opened?: Promise<void>;
  /** What opening made or changed in the schema, for people. */
  readonly steps?: readonly string[];
  /** Absent where no commit can be noticed in time, as on a database that others write to from elsewhere. */
  readonly changes?: ChangeMark;
  /** A few rows by their key. May answer at once, so that a quick read costs no turn of the event loop. */
  find(plan: ReadPlan): MaybePromise<readonly Row[]>;
  /** A list, however long. */
  read(plan: ReadPlan, encoding: Encoding): MaybePromise<ReadResult>;
  write(plan: WritePlan): Promise<WriteResult>;
  /** Rows in any number in one transaction, as they come. For commands: it may keep its thread for long. */
  load(batches: AsyncIterable<LoadBatch>, terms: LoadTerms): Promise<LoadResult>;
  /** How the engine would carry out a read: the statement and its plan, without values. */
  explain?(plan: ReadPlan): MaybePromise<Explanation>;
  /** What goes on inside, for the metrics. */
  readings?(): readonly Reading[];
  close(): Promise<void>;
}

export interface Explanation {
  /** In PostgreSQL's form: a list of one object with a `Plan`, whose `Plans` are its steps. */
  readonly json: unknown;
  /** The same for people. */
  readonly text: string;
}

export interface Reading {
  /** As in `writes_waiting`. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly value: number;
}
