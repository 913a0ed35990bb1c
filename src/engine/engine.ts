/**
 * Stage 4, engine: a plan is carried out.
 *
 * In: a plan. Out: rows and counts. Guarantees: a read sees one moment of the data; a write happens wholly or not at
 * all, and its promise resolves only when it is durable. Knows plans, SQL and its driver; every value it passes on is a
 * bound parameter, every identifier comes from the declaration. Refuses: constraint violations (23502, 23505),
 * PGRST116, PGRST124, CAT404, CAT409, CAT412, CAT422, CAT503, CAT507.
 */
import type { Encoding } from '../encode/encoding.ts';
import type { ReadPlan, WritePlan } from '../plan/types.ts';
import type { LoadResult, LoadSet, LoadTerms } from './load.ts';

export type MaybePromise<T> = T | Promise<T>;

/** The rows of a read, encoded. */
export interface ReadResult {
  /** How many rows the body holds. */
  readonly returned: number;
  /** All rows that match, whatever the page; present when a count was asked for. */
  readonly total?: number;
  /** Text in the encoding asked for: whole, or in parts that are read as they are sent. */
  readonly body: string | AsyncIterator<Uint8Array, undefined>;
  /** The text forms of the order keys in the last row, where they are at hand: a link to the next page goes on after it. */
  readonly end?: readonly (string | null)[] | undefined;
  /** The state of the data that parts are read from, where it can be told. */
  readonly state?: string;
}

export interface WriteResult {
  /** Rows inserted, changed or removed. */
  readonly affected: number;
  /** Of these, rows that were not there before. */
  readonly inserted: number;
  /** The text forms of the key of the row, where exactly one was inserted or replaced. */
  readonly key?: readonly string[];
  /** The rows in the encoding asked for, and how many they are; present when the plan asks for them back. */
  readonly body?: string;
  readonly shown?: number;
  /** The answer of an earlier request with the same idempotency key. */
  readonly replayed?: boolean;
  /** Whether that answer had rows that were too long to store. */
  readonly isBodyOmitted?: boolean;
  /** Sent back with a read, it makes sure that this write is seen; absent where every read sees it. */
  readonly position?: string;
}

/** The position after all writes: what is read after it is the newest there is. */
export const NEWEST = 'newest';

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
  /** Rows, however many. May answer at once, so that a quick read costs no turn of the event loop. */
  /** `after` is the position of a write, as a client sends it back: what is read holds that write. */
  read(plan: ReadPlan, encoding: Encoding, after?: string): MaybePromise<ReadResult>;
  /** Whether reads may be of different moments, so that it matters after which write they are. */
  readonly hasPositions?: boolean;
  /** `encoding` is that of the rows that the plan asks for back. */
  write(plan: WritePlan, encoding: Encoding): Promise<WriteResult>;
  /** Rows in any number in one transaction, as they come. For commands: it may keep its thread for long. */
  load(sets: readonly LoadSet[], terms: LoadTerms): Promise<LoadResult>;
  /** Whether there are tables for the service's own collections; where there are none they are made, if that is asked for. */
  ownTables(terms: { readonly make: boolean }): Promise<boolean>;
  /** How the engine would carry out a read: the statement and its plan, without values. It may ignore the options. */
  explain?(plan: ReadPlan, options: readonly PlanOption[]): MaybePromise<Explanation>;
  /** Why it should be sent no requests, where it can tell more than a read that fails. */
  trouble?(): string | undefined;
  /** For how many milliseconds since that moment (as performance.now() tells it) there was no database. */
  awaySince?(moment: number): number;
  /** What goes on inside, for the metrics. */
  metrics?(): readonly Metric[];
  /** Where it has threads: what they do not need any more. */
  giveBackMemory?(): void;
  close(): Promise<void>;
}

/** The options of PostgreSQL's EXPLAIN that a client may ask for. */
export const PLAN_OPTIONS = ['analyze', 'verbose', 'settings', 'buffers', 'wal'] as const;
export type PlanOption = (typeof PLAN_OPTIONS)[number];

export interface Explanation {
  /** The options that the plan was made with. */
  readonly options?: readonly PlanOption[];
  /** In PostgreSQL's form: a list of one object with a `Plan`, whose `Plans` are its steps. */
  readonly json: unknown;
  /** The same for people. */
  readonly text: string;
}

export interface Metric {
  /** As in `writes_waiting`. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly value: number;
}
