/**
 * Stage 4, engine: executes plans on a database.
 *
 * In: a plan, and the encoding of its result.
 * Out: encoded rows and counts.
 * Guarantees: a read sees one state of the data. A list of writes takes effect in order, completely or not at all, and
 * is durable when its promise resolves. Values are bound parameters; identifiers come from the declaration.
 * Throws: constraint violations (23502, 23503, 23505, 23514), 57014, PGRST116, PGRST124, CAT404, CAT409, CAT412,
 * CAT422, CAT503, CAT507.
 */
import type { Report } from '../base/error-list.ts';
import type { Metric } from '../base/metric.ts';
import type { Collection } from '../collection/declaration.ts';
import type { Encoding } from '../encode/encoding.ts';
import type { ReadPlan } from '../plan/types.ts';
import type { Origin, Retry, StoredRow, WritePlan } from '../plan/write-plan.ts';
import type { LoadOptions, LoadResult, LoadSet } from './shared/loader.ts';

export type MaybePromise<T> = T | Promise<T>;

export interface ReadResult {
  readonly returned: number;
  /** The number of matching rows regardless of the page, if a count was requested. */
  readonly total?: number;
  /** The number of matching rows and the facets as the text of a JSON object, if the plan has facets. */
  readonly summary?: string;
  /** Encoded text: complete, or a stream of chunks. */
  readonly body: string | AsyncIterator<Uint8Array, undefined>;
  /** The text forms of the last row's order keys, for the link to the next page. */
  readonly end?: readonly (string | null)[] | undefined;
  /** The change tag from before the read of a stream, if known. */
  readonly changeTag?: string;
  /** The status and headers that the database sets for the answer. */
  readonly chosen?: ChosenAnswer;
}

export interface ChosenAnswer {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The values of Set-Cookie, which cannot be joined (RFC 6265, 3). */
  readonly cookies: readonly string[];
}

/** A role of the database, and the settings of the transactions of a request. */
export interface DatabaseSession {
  readonly role: string;
  /** Whether the caller has no credentials: what the role may not do may be possible with some. */
  readonly isAnonymous: boolean;
  readonly settings: Readonly<Record<string, string>>;
  /** The quoted name of a function that runs first. */
  readonly preRequest?: string;
  /** Called if a statement does not fit the database: its description may be old. */
  readonly onMisfit?: () => void;
}

export interface WriteResult {
  /** Rows inserted, updated or deleted. */
  readonly affected: number;
  /** The number of new rows among them. */
  readonly inserted: number;
  /** The rows of a bulk update that do not exist, if they are ignored. */
  readonly missing?: number;
  /** The text forms of the key, if exactly one row was inserted or replaced. */
  readonly key?: readonly string[];
  /** The encoded rows and their number, if the plan returns rows. */
  readonly body?: string;
  readonly shown?: number;
  /** Whether this is the stored answer of an earlier request with the same idempotency key. */
  readonly replayed?: boolean;
  /** Whether that answer had rows that were too long to store. */
  readonly isBodyOmitted?: boolean;
  /** A read that sends this position sees the write; absent if every read does. */
  readonly position?: string;
  /** The status and headers that a trigger sets for the answer. */
  readonly chosen?: ChosenAnswer;
}

/** `encoding` applies to the returned rows. */
export interface Write {
  readonly plan: WritePlan;
  readonly encoding: Encoding;
  /** Whether the plan has values of earlier writes of the list. */
  readonly isDependent?: boolean;
}

export interface WriteOptions {
  /** Executes and answers the writes, but stores nothing. */
  readonly dryRun: boolean;
  /** The writes are executed once per key, however often they are sent. */
  readonly retry?: Retry;
  /** For the log of changes. */
  readonly origin?: Origin;
}

/** The position after all writes, for reads that need the latest data. */
export const NEWEST = 'newest';

/** Detects changes of the data by any process. */
export interface ChangeCounter {
  /** Changes with every commit. Cheap. */
  current(): number;
  /** A text that is unique to the state of the data. */
  tag(): string;
}

/** A position in the log of changes, and its time as a timestamptz. */
export interface LogPosition {
  readonly seq: number;
  readonly at: string;
}

/** The log of changes. A read of it is a plan with `log`. */
export interface ChangeLog {
  /**
   * The last position. No change can appear at it or before it any more. Its entry is committed, so it survives a
   * crash: rolled-back writes take numbers that PostgreSQL may assign again after one.
   */
  position(): MaybePromise<LogPosition>;
  /**
   * The time of the entry at a position; two if a collection begins there. After a failover that lost commits, or on a
   * restored copy, it is the time of another entry, or there is none.
   */
  timesAt(seq: number): MaybePromise<readonly string[]>;
  /** The position and time after which the log of all these collections is complete; undefined if one is not logged. */
  oldest(collections: readonly Collection[]): MaybePromise<LogPosition | undefined>;
  /** The position of the last change until this time; the one before the log if all changes are later. */
  positionAt(time: string): MaybePromise<number>;
}

/** A change with whole rows, for the log of another database. */
export interface CopiedEntry {
  readonly collection: Collection;
  readonly seq: number;
  readonly at: string;
  readonly actor: string | null;
  readonly role: string | null;
  readonly request_id: string | null;
  readonly kind: string;
  readonly before: StoredRow | null;
  readonly after: StoredRow | null;
}

export interface CopiedLog {
  /** In the order of their positions. */
  readonly entries: AsyncIterable<readonly CopiedEntry[]>;
  /** Where the log of each collection begins. */
  readonly begins: ReadonlyMap<Collection, LogPosition>;
  /** The last position: later changes have larger ones. */
  readonly position: number;
}

export interface Engine {
  /** For messages; without secrets. */
  readonly location: string;
  /** Present if opening takes time; until then requests wait or fail. Rejects if opening can never succeed. */
  readonly opened?: Promise<void>;
  /** The schema changes made by opening, for messages. */
  readonly steps?: readonly string[];
  /** Absent if commits cannot be noticed in time, as on a database that other machines write to. */
  readonly changes?: ChangeCounter;
  /**
   * Reads rows. Returns synchronously if possible, which saves a turn of the event loop. `after` is a state that the
   * read must include: the position of a write, or a change count that was read for the request. By default, the
   * newest. `asOf` is a position in the log of changes: the read sees the rows as they were there, or the log up to it.
   * The log of the plan's collections must reach back to it.
   */
  read(plan: ReadPlan, encoding: Encoding, after?: string | number, asOf?: number): MaybePromise<ReadResult>;
  /** Absent if changes are not logged. */
  readonly log?: ChangeLog;
  /** Whether reads may see different states, so that positions matter. */
  readonly hasPositions?: boolean;
  /** The same engine, with every transaction in a session of the database. */
  as?(session: DatabaseSession): Engine;
  /** Asks the database for an answer. Absent if a read does the same. */
  ping?(): Promise<void>;
  /** Executes the writes in order, in one transaction. */
  write(writes: readonly Write[], options: WriteOptions): Promise<readonly WriteResult[]>;
  /** Reports every row of a write that stored rows, or other rows of the body, reject. Stores nothing. */
  problems(plan: WritePlan, report: Report): Promise<void>;
  /** Loads any number of rows in one transaction. For commands: it may block its thread. */
  load(sets: readonly LoadSet[], options: LoadOptions): Promise<LoadResult>;
  /** Stores the log of another database after its rows. Returns the number of entries. */
  loadLog(log: CopiedLog): Promise<number>;
  /** Whether the tables of these collections of the service exist; creates them if `make` is set. */
  ownTables(collections: readonly Collection[], options: { readonly make: boolean }): Promise<boolean>;
  /** Where rows are stored that nobody misses, if a write to them would otherwise invalidate cached responses. */
  readonly transient?: Engine;
  /** How the engine would carry out a read: the statement and its plan, without values. It may ignore the options. */
  explain?(plan: ReadPlan, options: readonly PlanOption[], format: 'json' | 'text'): MaybePromise<Explanation>;
  /** The same for a write. It changes nothing. Absent if the engine has no plan of writes. */
  explainWrite?(write: Write, options: readonly PlanOption[], format: 'json' | 'text'): Promise<Explanation>;
  /** Why the engine should not receive requests, if it knows more than a failing read. */
  unreadyReason?(): string | undefined;
  /** The milliseconds of database downtime after `start` (performance.now()). */
  downtimeSince?(start: number): number;
  metrics?(): readonly Metric[];
  releaseMemory?(): void;
  close(): Promise<void>;
}

/** The options of PostgreSQL's EXPLAIN that a client may ask for. */
export const PLAN_OPTIONS = ['analyze', 'verbose', 'settings', 'buffers', 'wal'] as const;
export type PlanOption = (typeof PLAN_OPTIONS)[number];

export interface Explanation {
  /** The EXPLAIN options of the plan. */
  readonly options?: readonly PlanOption[];
  /** As JSON in PostgreSQL's format (a list of one object with a `Plan`, whose `Plans` are its steps), or as text. */
  readonly plan: unknown;
}
