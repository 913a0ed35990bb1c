/** Every bound of the service in one place. Over one of them a client gets a clear 4xx that names it. */

/** Longest request target (path and query) that is read. */
export const MAX_URL_LENGTH = 512 * 1024;
/** Parameters in a query string, filters and all. */
export const MAX_PARAMETERS = 2_000;
/** Largest request body, unless --max-body-mb says otherwise. */
export const DEFAULT_MAX_BODY_MB = 16;
/** All bodies that are being received or worked on, with what is made of them: over it the next one has to come again. */
export const MAX_BODIES_BYTES = 256 * 1024 * 1024;
/** A longer body is received piece by piece, and read in pieces. */
export const SHORT_BODY_BYTES = 64 * 1024;
/** For others, a body of which nothing has come for so long is given up. */
export const STALLED_BODY_SECONDS = 1;
/** And so has one that is so far behind this many bytes a second. */
export const SLOWEST_BODY_BYTES = 32 * 1024;
/** Rows of a body, its names and values, those of one row, and the characters of a number. */
export const MAX_BODY_ROWS = 100_000;
export const MAX_BODY_VALUES = 2_000_000;
export const MAX_ROW_VALUES = 50_000;
export const MAX_NUMBER_LENGTH = 1_000;
/** Longest text form of a value that is stored, unless --max-value-kb says otherwise. */
export const DEFAULT_MAX_VALUE_KB = 1024;
/**
 * Characters of a text that a full text search looks at. It also does not search a json value whose text form is longer. The
 * words of more characters may exceed the largest tsvector of PostgreSQL (1 MiB), which would fail the searches of everybody.
 */
export const MAX_SEARCHED_LENGTH = 131_072;
/** Longest path of a proxy before the service's own: --base-path, X-Forwarded-Prefix. */
export const MAX_PREFIX_LENGTH = 255;
/** Hosts that are remembered once they were found right. */
export const MAX_KNOWN_HOSTS = 1_000;
/** Clients whose requests are counted for --rate-limit at a time. */
export const RATE_TABLE_CLIENTS = 65_536;
/** From where on no further connections are taken: so many descriptors from the limit of open files, or a quarter of it. */
export const RESERVED_DESCRIPTORS = 1_024;
/** What a thread or the console may need of them when it starts. */
export const DESCRIPTORS_FOR_FILES = 48;
/** How deep lists and objects may nest in one value of a body. */
export const MAX_JSON_DEPTH = 100;
/** Zeros that the exponents of all numbers in one json value may stand for: 1e300 is printed with 300 of them. */
export const MAX_JSON_PADDING = 10_000;
/** How often a part of one json value may be held against a part of another, where one is asked to contain the other. */
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
export const MAX_KEPT_TEXTS = 500;
export const MAX_KEPT_TEXT_LENGTH = 1_000;
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
/** How long requests under way may take to finish once the service stops. */
export const DRAIN_SECONDS = 10;
/** A process that hands over its port closes it when no request has come for this long, */
export const HANDOVER_QUIET_MS = 500;
/** or at last after this long. */
export const HANDOVER_SECONDS = 10;
/** A process that has not stopped by then is ended. */
export const STOP_SECONDS = HANDOVER_SECONDS + DRAIN_SECONDS + 5;
/** Processes of one service, at most. */
export const MAX_WORKERS = 256;
/** How long a connection waits for another process that keeps it from reading, or from opening the database. */
export const SQLITE_BUSY_MS = 5_000;
/** How long a write waits for another process that writes: longer than an import of some million rows keeps it waiting. */
export const SQLITE_WRITE_WAIT_MS = 60_000;
/** How long a migration waits at a time for a table that PostgreSQL's clients use: whoever comes next waits behind it. */
export const MIGRATION_LOCK_MS = 1_000;
/** How long it tries. */
export const MIGRATION_WAIT_SECONDS = 60;
/** What the log of a catalogue file is cut back to when it is emptied. */
export const MAX_LOG_BYTES = 16 * 1024 * 1024;
/** A connection on which nothing happens for so long is closed, unless its request is at work in the database. */
export const IDLE_CONNECTION_SECONDS = 120;
/** Statements of one kind that may wait for a connection to PostgreSQL: what bounds them is how long they wait. */
export const MAX_WAITING_STATEMENTS = 4_096;
/** Costly reads that may wait for their turn. */
export const MAX_WAITING_READS = 64;
/** How long costly reads and writes wait for their turn at most. */
export const MAX_QUEUE_SECONDS = 15;
/** Long results that may be on their way at once. For one more, one that was not taken from for so long is ended. */
export const MAX_LONG_READS = 64;
export const STALLED_SECONDS = 1;
/** A log of more than this has to be emptied: then long results that are older than this are ended. */
export const LONG_LOG_BYTES = 512 * 1024 * 1024;
export const MAX_SNAPSHOT_SECONDS = 30;
/** A long result that nobody takes a part of for so long is ended. */
export const IDLE_STREAM_SECONDS = 60;
/** Characters of one regular expression. */
export const MAX_PATTERN_LENGTH = 64 * 1024;
/** Instructions of all regular expressions of one request, once compiled. */
export const MAX_INSTRUCTIONS = 50_000;
/** What patterns may take on all of a small table, for it to be read between two requests: steps of some nanoseconds. */
export const QUICK_STEPS = 2_000_000;
/**
 * What repeats what a client sent: headers with the URL or values of rows are left out when they would be longer, since many
 * clients take no more; texts of an error and fields of a log line are shortened to it.
 */
export const MAX_ECHOED_LENGTH = 2_048;
/** Shorter bodies are not compressed: they fit into one packet as they are. */
export const MIN_COMPRESSED_LENGTH = 1024;
/** Longer ones are compressed on another thread, and meanwhile requests are answered. */
export const COMPRESSED_AT_ONCE_LENGTH = 32 * 1024;
/** Writes that may share one commit, and from when on no further one joins it. */
export const MAX_WRITES_PER_COMMIT = 512;
export const MAX_COMMIT_SECONDS = 1;
/** Costly writes that may wait for their turn. */
export const MAX_WAITING_WRITES = 64;
/** How long a write may read other collections for its answer: all other writes wait meanwhile (SQLite). */
export const MAX_EMBEDDING_SECONDS = 2;
/** The rows that a write gives back, as they are stored and as they are shown. */
export const MAX_RETURNED_BYTES = 32 * 1024 * 1024;

/** A table of at most this many rows answers anything at once. */
export const SMALL_TABLE_ROWS = 2_000;
/** And a database of at most this size: few rows may hold long texts. */
export const SMALL_TABLE_BYTES = 2 * 1024 * 1024;
/** A page of at most this many rows may be read between two requests. */
export const QUICK_PAGE_ROWS = 1_000;
/** And an answer of at most this size. */
export const QUICK_ANSWER_BYTES = 4 * 1024 * 1024;
/** Longest row of an answer: as long as a body that could store it. */
export const MAX_ROW_BYTES = 16 * 1024 * 1024;
/** Groups of a large table that are added up as its rows come, and the length of their names together; of more of them the rows are sorted. */
export const MAX_GATHERED_GROUPS = 20_000;
export const MAX_GATHERED_LENGTH = 1024 * 1024;
/** Rows that the search index may find for a page before a walk through the table is likely to be quicker. */
export const FEW_CANDIDATES = 5_000;
/** What a query of the search index may hold, and how deep: trigrams of one text and of all, its length, its parentheses. */
export const MAX_CANDIDATE_TRIGRAMS = 16;
export const MAX_ALL_CANDIDATE_TRIGRAMS = 64;
export const MAX_CANDIDATE_QUERY = 2_000;
export const MAX_CANDIDATE_DEPTH = 10;
/** How long a read may take, unless --query-timeout says otherwise. */
export const DEFAULT_QUERY_SECONDS = 10;
/** How long a dry run may take, unless --dry-run-timeout says otherwise. */
export const DEFAULT_DRY_RUN_SECONDS = 2;
/** A large result is sent in parts of about this many characters. */
export const PART_LENGTH = 256 * 1024;
/** Up to here a large result is gathered first, since it may turn out to be all. */
export const GATHERED_LENGTH = 1024 * 1024;
/** Connections to a PostgreSQL server, unless --pool-size says otherwise. */
export const DEFAULT_POOL_SIZE = 10;
/** How long a connection to PostgreSQL may take to open, unless --connect-timeout says otherwise. */
export const DEFAULT_CONNECT_SECONDS = 5;
/** A standby further behind the primary serves no reads, unless --replica-lag says otherwise. */
export const DEFAULT_REPLICA_LAG_SECONDS = 10;
/** A result of more rows than this is read from PostgreSQL through a cursor, as it is sent. */
export const CURSOR_ROWS = 2_000;
/** And one of more bytes. */
export const CURSOR_BYTES = 8 * 1024 * 1024;

/** Answers kept for the next client that asks the same: all of them together, and the largest of them. */
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;
export const MAX_KEPT_ANSWER_BYTES = 256 * 1024;
/** The JSON texts of rows kept for the next list that has them: about this much in all, as of the tables that are small. */
export const MAX_KEPT_ROW_BYTES = 4 * 1024 * 1024;

/** The same for a command, which nobody waits for at the other end of a socket. */
export const DEFAULT_COMMAND_SECONDS = 3_600;
/** What takes longer is logged with its plan, unless --slow-query-ms says otherwise. */
export const DEFAULT_SLOW_QUERY_MS = 1_000;
/** Scheduled backups kept, unless --backup-keep says otherwise. */
export const DEFAULT_BACKUPS_KEPT = 24;

/** Digits of a number that a text is cast to on SQLite: far beyond any catalogue, and quick to reckon with. */
export const MAX_NUMERIC_DIGITS = 1_000;
/** Largest declaration of collections. */
export const MAX_DECLARATION_BYTES = 1024 * 1024;
/** Longest name of a collection, a field or a constraint: that of PostgreSQL. */
export const MAX_NAME_LENGTH = 63;
/** Collections of a catalogue. */
export const MAX_COLLECTIONS = 1_000;
/** Fields of a collection: tables of PostgreSQL have 1,600 columns at most, and the one that a load gathers its rows in has some more. */
export const MAX_FIELDS = 1_590;
/** Roles of a declaration. */
export const MAX_ROLES = 200;
/** Values in one default of a declaration, lists and maps counted with what they hold. */
export const MAX_VALUE_NODES = 10_000;
/** Bad rows of a file that are named before the rest of it is left unread. */
export const MAX_BAD_ROWS = 20;

/** A secret that tokens are signed with: as long as what HS256 makes of it (RFC 7518, 3.2). */
export const MIN_SECRET_BYTES = 32;
/** Longest Authorization, apikey or session that is looked at. */
export const MAX_CREDENTIAL_LENGTH = 8_192;
/** How far the clock of whoever makes tokens may be from ours. */
export const TOKEN_LEEWAY_SECONDS = 30;
/** Tokens, keys and sessions that are remembered once they are verified. */
export const MAX_REMEMBERED = 10_000;
/** How long a key or a session counts as what it was when it was last looked up: one that is revoked is refused within a second. */
export const REMEMBERED_MS = 500;
/** The public keys that tokens are verified with: how many, how large their file, how long to fetch it may take, */
export const MAX_PUBLIC_KEYS = 100;
export const MAX_JWKS_BYTES = 1024 * 1024;
export const JWKS_TIMEOUT_MS = 5_000;
/** how long it is used before it is fetched again, and how soon a key that it lacks is looked for. */
export const JWKS_FRESH_MS = 10 * 60_000;
export const JWKS_PAUSE_MS = 10_000;
/** How long a person stays logged in, unless --session-hours says otherwise. */
export const DEFAULT_SESSION_HOURS = 12;
/** Letters of the name of a key or a user, bytes of a password, bytes of a body that has both. */
export const MAX_ACCOUNT_NAME_LENGTH = 100;
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_BYTES = 1_024;
export const MAX_LOGIN_BYTES = 16 * 1024;
/** Bytes of the claims of a key or a user. */
export const MAX_CLAIMS_BYTES = 4_096;
/** Passwords that are hashed at once, each in 19 MiB, and how many may wait for that. */
export const MAX_PASSWORDS_AT_ONCE = 2;
export const MAX_PASSWORDS_WAITING = 64;
/** Names and addresses whose attempts to log in are counted. */
export const MAX_COUNTED_ATTEMPTS = 10_000;

export const INT4_MIN = -2_147_483_648;
export const INT4_MAX = 2_147_483_647;
