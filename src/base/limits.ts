/** All limits of the service. Beyond a limit a client gets a clear 4xx that names it. */

/** The longest request target (path and query). */
export const MAX_URL_LENGTH = 512 * 1024;
/** The maximum number of parameters in a query string. */
export const MAX_PARAMETERS = 2_000;
/** The default of --max-body-mb. */
export const DEFAULT_MAX_BODY_MB = 16;
/**
 * The total memory of all bodies in flight and of what is derived from them. Beyond it, the next one is rejected with
 * 503.
 */
export const MAX_BODIES_BYTES = 256 * 1024 * 1024;
/** Longer bodies are received and parsed in slices. */
export const SHORT_BODY_BYTES = 64 * 1024;
/** A body without progress for this long is dropped if others need its memory, */
export const STALLED_BODY_SECONDS = 1;
/** and so is one that falls this far behind the minimum rate in bytes per second. */
export const SLOWEST_BODY_BYTES = 32 * 1024;
/** The maximum number of rows, values, values per row, and characters of a number in a body. */
export const MAX_BODY_ROWS = 100_000;
export const MAX_BODY_VALUES = 2_000_000;
export const MAX_ROW_VALUES = 50_000;
export const MAX_NUMBER_LENGTH = 1_000;
/** The default of --max-value-kb. */
export const DEFAULT_MAX_VALUE_KB = 1024;
/**
 * Characters of a text that a full text search looks at. It also does not search a json value whose text form is longer. The
 * words of more characters may exceed the largest tsvector of PostgreSQL (1 MiB), which would fail the searches of everybody.
 */
export const MAX_SEARCHED_LENGTH = 131_072;
/** The longest prefix in --base-path or X-Forwarded-Prefix. */
export const MAX_PREFIX_LENGTH = 255;
/** The number of cached hosts. */
export const MAX_KNOWN_HOSTS = 1_000;
/** The number of clients tracked for --rate-limit. */
export const RATE_TABLE_CLIENTS = 65_536;
/** New connections wait when this many descriptors, or a quarter of the limit, are left. */
export const RESERVED_DESCRIPTORS = 1_024;
/** The descriptors that a thread or the console needs to start. */
export const DESCRIPTORS_FOR_FILES = 48;
/** The maximum nesting depth of a JSON value. */
export const MAX_JSON_DEPTH = 100;
/** The zeros that exponents may expand to in one json value: 1e300 prints 300. */
export const MAX_JSON_PADDING = 10_000;
/** The maximum number of comparisons of one containment test. */
export const MAX_CONTAINMENT_STEPS = 1_000_000;
/** Filters and logic conditions in one request; each value of `like(any).{…}` and kin is one. */
export const MAX_CONDITIONS = 500;
/** Values in one list: `in.(…)`, `eq(any).{…}`. */
export const MAX_LIST_VALUES = 50_000;
/** How deep `and(…)`, `or(…)` may nest. */
export const MAX_LOGIC_DEPTH = 20;
/** Columns in `select`, terms in `order`. */
export const MAX_TERMS = 200;
/** Embeddings in one request, and how deep they may nest. */
export const MAX_EMBEDS = 30;
export const MAX_EMBED_DEPTH = 8;
/** A row that is embedded in another counts for so many bytes, and is measured only where it is longer. */
export const SHORT_ROW_BYTES = 256;
/** Values of `select`, and of `order`, that are kept once they are read, and how long one may be. */
export const MAX_CACHED_TEXTS = 500;
export const MAX_CACHED_TEXT_LENGTH = 1_000;
/** Media types of an Accept header that are looked at. */
export const MAX_MEDIA_RANGES = 500;
/** Length of an Idempotency-Key. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
/** How long an answer is kept for its Idempotency-Key. */
export const DEFAULT_IDEMPOTENCY_HOURS = 24;
/** Bytes of an answer that is stored for its Idempotency-Key; more only if the request itself is half as long. */
export const MAX_STORED_ANSWER_BYTES = 64 * 1024;
/** Bytes of all answers that are stored for the keys of one caller. */
export const MAX_STORED_ANSWERS_BYTES = 64 * 1024 * 1024;
/** How long requests in flight may take after a stop. */
export const DRAIN_SECONDS = 10;
/** A process that hands over its port closes it after this long without requests, */
export const HANDOVER_QUIET_MS = 500;
/** or at the latest after this long. */
export const HANDOVER_SECONDS = 10;
/** A process that has not stopped by then is killed. */
export const STOP_SECONDS = HANDOVER_SECONDS + DRAIN_SECONDS + 5;
/** The maximum number of worker processes. */
export const MAX_WORKERS = 256;
/** How long a connection waits for another process's lock when reading or opening. */
export const SQLITE_BUSY_MS = 5_000;
/** How long a write waits for another process: longer than an import of some million rows. */
export const SQLITE_WRITE_WAIT_MS = 60_000;
/** How long a migration waits at a time for a table in use: clients queue behind it. */
export const MIGRATION_LOCK_MS = 1_000;
/** How long it retries. */
export const MIGRATION_WAIT_SECONDS = 60;
/** The size that the log is truncated to. */
export const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** A connection is closed after this long without activity, unless its request is in the database. */
export const IDLE_CONNECTION_SECONDS = 120;
/** The maximum number of queued statements per kind; their waiting time is the effective limit. */
export const MAX_WAITING_STATEMENTS = 4_096;
/** The maximum number of queued costly reads. */
export const MAX_WAITING_READS = 64;
/** The maximum waiting time of costly reads and writes. */
export const MAX_QUEUE_SECONDS = 15;
/** The maximum number of streamed results. For another one, a stalled one is ended after STALLED_SECONDS. */
export const MAX_STREAMED_READS = 64;
export const STALLED_SECONDS = 1;
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
export const QUICK_STEPS = 2_000_000;
/**
 * Longer headers that repeat a client's input are omitted, since many clients accept no more; error texts and log
 * fields are shortened to this.
 */
export const MAX_ECHOED_LENGTH = 2_048;
/** Shorter bodies are not compressed: they fit into one packet. */
export const MIN_COMPRESSED_LENGTH = 1024;
/** Longer bodies are compressed on another thread. */
export const SYNC_COMPRESSION_LENGTH = 32 * 1024;
/** The maximum number of writes per commit, and the time after which no further one joins. */
export const MAX_WRITES_PER_COMMIT = 512;
export const MAX_COMMIT_SECONDS = 1;
/** The maximum number of queued costly writes. */
export const MAX_WAITING_WRITES = 64;
/** How long a write may read other collections for its answer: all other writes wait meanwhile (SQLite). */
export const MAX_EMBEDDING_SECONDS = 2;
/** The maximum size of the rows that a write returns. */
export const MAX_RETURNED_BYTES = 32 * 1024 * 1024;

/** Every read of a table with at most this many rows */
export const SMALL_TABLE_ROWS = 2_000;
/** and bytes is cheap. */
export const SMALL_TABLE_BYTES = 2 * 1024 * 1024;
/** A page of at most this many rows */
export const QUICK_PAGE_ROWS = 1_000;
/** and bytes may be read on the event loop. */
export const QUICK_ANSWER_BYTES = 4 * 1024 * 1024;
/** The maximum size of a result row, equal to that of a body. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024;
/**
 * Limits of hash aggregation: the number of groups and the total length of their keys. Beyond them, SQLite sorts the
 * rows.
 */
export const MAX_HASH_GROUPS = 20_000;
export const MAX_HASH_GROUP_LENGTH = 1024 * 1024;
/** With more candidates than this, following an index is probably faster than the search index. */
export const FEW_CANDIDATES = 5_000;
/** Limits of a search index query: trigrams per text and in total, length, nesting. */
export const MAX_CANDIDATE_TRIGRAMS = 16;
export const MAX_ALL_CANDIDATE_TRIGRAMS = 64;
export const MAX_CANDIDATE_QUERY = 2_000;
export const MAX_CANDIDATE_DEPTH = 10;
/** The default of --query-timeout. */
export const DEFAULT_QUERY_SECONDS = 10;
/** How long a dry run may take, unless --dry-run-timeout says otherwise. */
export const DEFAULT_DRY_RUN_SECONDS = 2;
/** The chunk size of a streamed result in characters. */
export const PART_LENGTH = 256 * 1024;
/** Results up to this size are not streamed. */
export const BUFFERED_LENGTH = 1024 * 1024;
/** The default of --pool-size. */
export const DEFAULT_POOL_SIZE = 10;
/** The default of --connect-timeout. */
export const DEFAULT_CONNECT_SECONDS = 5;
/** The default of --replica-lag. */
export const DEFAULT_REPLICA_LAG_SECONDS = 10;
/** Results with more rows than this are read through a cursor, */
export const CURSOR_ROWS = 2_000;
/** and so are those with more bytes. */
export const CURSOR_BYTES = 8 * 1024 * 1024;

/** The size of the response cache, and of its largest entry. */
export const RESPONSE_CACHE_BYTES = 16 * 1024 * 1024;
export const MAX_CACHED_RESPONSE_BYTES = 256 * 1024;
/** The approximate size of the row cache. */
export const ROW_CACHE_BYTES = 4 * 1024 * 1024;

/** The default time limit of commands. */
export const DEFAULT_COMMAND_SECONDS = 3_600;
/** The default of --slow-query-ms. */
export const DEFAULT_SLOW_QUERY_MS = 1_000;
/** The default of --backup-keep. */
export const DEFAULT_BACKUPS_KEPT = 24;

/** The maximum number of digits of a number cast from text on SQLite. */
export const MAX_NUMERIC_DIGITS = 1_000;
/** The maximum size of a declaration. */
export const MAX_DECLARATION_BYTES = 1024 * 1024;
/** The longest name of a collection, field or constraint, as in PostgreSQL. */
export const MAX_NAME_LENGTH = 63;
/** The maximum number of collections. */
export const MAX_COLLECTIONS = 1_000;
/**
 * The maximum number of fields: PostgreSQL has 1,600 columns per table, and the staging table of a load needs some
 * more.
 */
export const MAX_FIELDS = 1_590;
/** The maximum number of roles. */
export const MAX_ROLES = 200;
/** The maximum number of values in one default, including nested ones. */
export const MAX_VALUE_NODES = 10_000;
/** The number of invalid rows to report before reading stops. */
export const MAX_BAD_ROWS = 20;

/** The minimum length of a token secret: the output size of HS256 (RFC 7518, 3.2). */
export const MIN_SECRET_BYTES = 32;
/** The longest Authorization, apikey or session value. */
export const MAX_CREDENTIAL_LENGTH = 8_192;
/** The tolerated difference between clocks. */
export const TOKEN_LEEWAY_SECONDS = 30;
/** The number of cached tokens, keys and sessions. */
export const MAX_CACHED_CREDENTIALS = 10_000;
/** How long a cached key or session is valid: a revoked one is rejected within a second. */
export const CREDENTIAL_CACHE_MS = 500;
/** Limits of a JWKS: the number of keys, its size, the time to fetch it, */
export const MAX_PUBLIC_KEYS = 100;
export const MAX_JWKS_BYTES = 1024 * 1024;
export const JWKS_TIMEOUT_MS = 5_000;
/** the time before it is fetched again, and the pause between attempts to find a missing key. */
export const JWKS_FRESH_MS = 10 * 60_000;
export const JWKS_PAUSE_MS = 10_000;
/** The default of --session-hours. */
export const DEFAULT_SESSION_HOURS = 12;
/** The maximum length of an account name, of a password, and of a login body. */
export const MAX_ACCOUNT_NAME_LENGTH = 100;
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_BYTES = 1_024;
export const MAX_LOGIN_BYTES = 16 * 1024;
/** The maximum size of the claims of a key or user. */
export const MAX_CLAIMS_BYTES = 4_096;
/** The number of passwords hashed concurrently, each with 19 MiB, and queued. */
export const MAX_CONCURRENT_HASHES = 2;
export const MAX_QUEUED_HASHES = 64;
/** The number of names and addresses whose login attempts are tracked. */
export const MAX_TRACKED_LOGINS = 10_000;

export const INT4_MIN = -2_147_483_648;
export const INT4_MAX = 2_147_483_647;
