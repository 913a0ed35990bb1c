/** Limits of reads, writes, caches and connections in the engines. */

/**
 * The number of characters that a full text search reads of a text. It skips a json value with a longer text form. The
 * words of a longer text may exceed PostgreSQL's largest tsvector (1 MiB), which would fail every search.
 */
export const MAX_SEARCHED_LENGTH = 131_072;
/** The maximum number of comparisons of one containment test. */
export const MAX_CONTAINMENT_STEPS = 1_000_000;
/** An embedded row counts as this many bytes; the engine measures only longer rows. */
export const SHORT_ROW_BYTES = 256;
/** The maximum size of an answer stored for its Idempotency-Key, or twice the size of the request. */
export const MAX_STORED_ANSWER_BYTES = 64 * 1024;
/** The maximum size of all answers stored for the keys of one caller. */
export const MAX_STORED_ANSWERS_BYTES = 64 * 1024 * 1024;
/** How long a connection waits for another process's lock when reading or opening. */
export const SQLITE_BUSY_MS = 5_000;
/** How long a command waits for another process: longer than an import of some million rows. */
export const SQLITE_WRITE_WAIT_MS = 60_000;
/** How long a migration waits at a time for a table in use: clients queue behind it. */
export const MIGRATION_LOCK_MS = 1_000;
/** How long it retries. */
export const MIGRATION_WAIT_SECONDS = 60;
/** The size that the log is truncated to. */
export const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** The maximum number of queued statements per kind; their waiting time is the effective limit. */
export const MAX_WAITING_STATEMENTS = 4_096;
export const MAX_WAITING_READS = 64;
/** The maximum waiting time of costly reads and of writes, in the queue and for another process each. */
export const MAX_QUEUE_SECONDS = 15;
/** The maximum number of streamed results. A further one ends a result that has stalled for STALLED_SECONDS. */
export const MAX_STREAMED_READS = 64;
export const STALLED_SECONDS = 1;
/** On PostgreSQL, where each holds a connection, a result ends after this time if others wait for one. */
export const STALLED_CURSOR_SECONDS = 3;
/** A longer log must be truncated: then streamed results older than MAX_SNAPSHOT_SECONDS are ended. */
export const LONG_LOG_BYTES = 512 * 1024 * 1024;
export const MAX_SNAPSHOT_SECONDS = 30;
/** A streamed result is ended if its client reads nothing for this long. */
export const IDLE_STREAM_SECONDS = 60;
/** The maximum length of a regular expression. */
export const MAX_PATTERN_LENGTH = 64 * 1024;
/** The maximum compiled size of all regular expressions of a request. */
export const MAX_INSTRUCTIONS = 50_000;
/** The step budget of text patterns for a read of a small table on the event loop; a step takes some nanoseconds. */
export const INLINE_STEPS = 2_000_000;
/** The maximum number of writes per commit, and the time after which no further one joins. */
export const MAX_WRITES_PER_COMMIT = 512;
export const MAX_COMMIT_SECONDS = 1;
export const MAX_WAITING_WRITES = 64;
/** A write of more rows has its own commit (SQLite), or is costly (PostgreSQL). */
export const MAX_SHARED_ROWS = 100;
/** A row with more characters has its own statement (PostgreSQL). */
export const MAX_SHARED_ROW_LENGTH = 16 * 1024;
/** How long a write may read other collections for its answer: all other writes wait for it (SQLite). */
export const MAX_EMBEDDING_SECONDS = 2;
/** The maximum size of the rows that a write returns. */
export const MAX_RETURNED_BYTES = 32 * 1024 * 1024;
/** A table is small, and every read of it cheap, up to this many rows and bytes. */
export const SMALL_TABLE_ROWS = 2_000;
export const SMALL_TABLE_BYTES = 2 * 1024 * 1024;
/** PostgreSQL reads all rows with the first value to sort them by key, or to find those of one value in that order. */
export const MAX_ROWS_PER_VALUE = 10_000;
/** The event loop reads a page itself up to this many rows and bytes. */
export const INLINE_PAGE_ROWS = 1_000;
export const INLINE_ANSWER_BYTES = 4 * 1024 * 1024;
/** The maximum size of a result row, equal to the maximum body size. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024;
/** The maximum memory of groups that are not sorted, estimated. Beyond it, SQLite sorts the rows. */
export const MAX_HASH_BYTES = 4 * 1024 * 1024;
/** With more candidates than this, following an index is probably faster than the search index. */
export const FEW_CANDIDATES = 5_000;
/** Limits of a search index query: trigrams per text and in total, length, nesting. */
export const MAX_CANDIDATE_TRIGRAMS = 16;
export const MAX_ALL_CANDIDATE_TRIGRAMS = 64;
export const MAX_CANDIDATE_QUERY = 2_000;
export const MAX_CANDIDATE_DEPTH = 10;
export const DEFAULT_DRY_RUN_SECONDS = 2;
/** A dry run starts again after a write that has waited this long for it. The maximum number of its attempts. */
export const DRY_RUN_YIELD_MS = 400;
export const DRY_RUN_ATTEMPTS = 5;
/** The chunk size of a streamed result in characters. */
export const PART_LENGTH = 256 * 1024;
/** Results up to this size are not streamed. */
export const BUFFERED_LENGTH = 1024 * 1024;
export const DEFAULT_REPLICA_LAG_SECONDS = 10;
/** PostgreSQL reads larger results, by rows or bytes, through a cursor. */
export const CURSOR_ROWS = 2_000;
/** The maximum number of rows that a function returns if it may change data. */
export const MAX_FUNCTION_ROWS = 100_000;
export const CURSOR_BYTES = 8 * 1024 * 1024;
export const ROW_CACHE_BYTES = 4 * 1024 * 1024;
export const DEFAULT_COMMAND_SECONDS = 3_600;
/** Enough for an import that uploads files. The driver opens the whole pool, and a connection costs milliseconds. */
export const DEFAULT_COMMAND_CONNECTIONS = 5;
/** How long the log of changes is kept. */
export const DEFAULT_HISTORY_DAYS = 30;
/** A receiver of a webhook must answer within this time. */
export const WEBHOOK_SECONDS = 10;
/** A failing delivery is repeated for this long. */
export const WEBHOOK_RETRY_HOURS = 24;
/** The number of changes that a webhook reads at once, and of messages that it has in flight. */
export const WEBHOOK_CHANGES = 100;
export const WEBHOOK_MESSAGES = 8;
/** While a webhook has this many deliveries that wait, it reads no further changes. */
export const WEBHOOK_WAITING = 1_000;
/** The number of failed or waiting deliveries that a webhook lists. */
export const LISTED_DELIVERIES = 1_000;
