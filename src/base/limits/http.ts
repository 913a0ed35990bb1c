/** Limits of requests, connections and responses. Over a limit, a client gets a 4xx error that names it. */

/** The longest request target (path and query). */
export const MAX_URL_LENGTH = 512 * 1024;
export const MAX_PARAMETERS = 2_000;
/** The memory of all bodies in flight and what is derived from them. Beyond it, the next one gets 503. */
export const MAX_BODIES_BYTES = 256 * 1024 * 1024;
/** Longer bodies are received and parsed in slices. */
export const SHORT_BODY_BYTES = 64 * 1024;
/** A body makes room for others after this many seconds without progress, or below these bytes per second. */
export const STALLED_BODY_SECONDS = 1;
export const SLOWEST_BODY_BYTES = 32 * 1024;
/** The maximum number of rows, values, values per row, and characters of a number in a body. */
export const MAX_BODY_ROWS = 100_000;
export const MAX_BODY_VALUES = 2_000_000;
export const MAX_ROW_VALUES = 50_000;
export const MAX_NUMBER_LENGTH = 1_000;
/** The longest prefix in --base-path or X-Forwarded-Prefix. */
export const MAX_PREFIX_LENGTH = 255;
export const MAX_KNOWN_HOSTS = 1_000;
/** The number of clients tracked for --rate-limit. */
export const RATE_TABLE_CLIENTS = 65_536;
/** New connections wait when this many descriptors, or a quarter of the limit, are left. */
export const RESERVED_DESCRIPTORS = 1_024;
/** The descriptors that a thread or the console needs to start. */
export const DESCRIPTORS_FOR_FILES = 48;
export const MAX_JSON_DEPTH = 100;
/** Filters and logic conditions in one request. Each value of a list such as `like(any).{…}` counts as one. */
export const MAX_CONDITIONS = 500;
/** Values in one list: `in.(…)`, `eq(any).{…}`. */
export const MAX_LIST_VALUES = 50_000;
/** How deep `and(…)`, `or(…)` may nest. */
export const MAX_LOGIC_DEPTH = 20;
/** Columns in `select`, terms in `order`. */
export const MAX_TERMS = 200;
/** Facets in one request, and the values or limits of one. */
export const MAX_FACETS = 20;
export const MAX_FACET_VALUES = 100;
/** Embeddings in one request, and how deep they may nest. */
export const MAX_EMBEDS = 30;
export const MAX_EMBED_DEPTH = 8;
/** The number of texts, such as `select` and `order`, whose parsed form is cached, and the longest one. */
export const MAX_CACHED_TEXTS = 500;
export const MAX_CACHED_TEXT_LENGTH = 1_000;
/** The number of media types of an Accept header that are read. */
export const MAX_MEDIA_RANGES = 500;
/** The maximum number of requests in a batch. */
export const MAX_BATCH_REQUESTS = 1_000;
/** The maximum number of changes that one undo reverts, and of one row among them. */
export const MAX_UNDO_CHANGES = 200_000;
export const MAX_UNDO_ROW_CHANGES = 5_000;
/** The maximum number and size of the changes that an undo reverts in one transaction. More are reverted in steps. */
export const MAX_UNDO_TRANSACTION = 1_000;
export const MAX_UNDO_BYTES = 32 * 1024 * 1024;
/** The number and size of the changes of a step: other writes run between two of them. */
export const UNDO_STEP_CHANGES = 500;
export const UNDO_STEP_BYTES = 4 * 1024 * 1024;
/** How long an undo waits for open transactions that hold back changes it selects. */
export const UNDO_WAIT_MS = 5_000;
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
/** How long requests in flight may take after a stop. */
export const DRAIN_SECONDS = 10;
/** A process that hands over its port closes it after this long without requests, or at the latest after this long. */
export const HANDOVER_QUIET_MS = 500;
export const HANDOVER_SECONDS = 10;
/** A process that has not stopped by then is killed. */
export const STOP_SECONDS = HANDOVER_SECONDS + DRAIN_SECONDS + 5;
export const MAX_WORKERS = 256;
/** A connection is closed after this long without activity, unless its request is in the database. */
export const IDLE_CONNECTION_SECONDS = 120;
/** Longer headers that repeat a client's input are omitted; error texts and log fields are shortened to this. */
export const MAX_ECHOED_LENGTH = 2_048;
/** The field and the value of an error are shortened to this, since a response may list many errors. */
export const MAX_ECHOED_VALUE_LENGTH = 200;
/** The number of errors that a response with `Prefer: errors=all` lists. */
export const MAX_LISTED_ERRORS = 1_000;
/** Shorter bodies are not compressed: they fit into one packet. */
export const MIN_COMPRESSED_LENGTH = 1024;
/** Excel's limits: the rows of a sheet beside its header, and the characters of a cell. Longer texts are cut. */
export const MAX_SHEET_ROWS = 1_048_575;
export const MAX_CELL_LENGTH = 32_767;
/** Longer bodies are compressed on another thread. */
export const SYNC_COMPRESSION_LENGTH = 32 * 1024;
/** The size of the response cache, and of its largest entry. */
export const RESPONSE_CACHE_BYTES = 16 * 1024 * 1024;
export const MAX_CACHED_RESPONSE_BYTES = 256 * 1024;
/** The longest search text of the guide: it is compared with every section. */
export const MAX_GUIDE_SEARCH_LENGTH = 200;
/** Limits of stored views and presence: a definition, a name, the key of a row, a body, the rows of one person. */
export const MAX_VIEW_BYTES = 32 * 1024;
export const MAX_VIEW_NAME_LENGTH = 80;
export const MAX_PRESENCE_KEY_LENGTH = 1_000;
export const MAX_PERSONAL_BODY_BYTES = 64 * 1024;
export const MAX_PERSONAL_ROWS = 500;
/** A person who edits a row is shown for this long after the last sign of life. */
export const PRESENCE_SECONDS = 40;
/** Rows of a read of `POST /mcp`, and by default. */
export const MCP_MAX_ROWS = 200;
export const MCP_ROWS = 50;
/** The bytes of a result, and of a message. */
export const MCP_RESULT_BYTES = 100_000;
export const MCP_MESSAGE_BYTES = 1024 * 1024;
/** Previewed writes that wait to be carried out, of all callers and of one, and how long they wait. */
export const MCP_PREVIEWS = { count: 1_000, bytes: 16 * 1024 * 1024 };
export const MCP_CALLER_PREVIEWS = { count: 16, bytes: 4 * 1024 * 1024 };
export const MCP_PREVIEW_MS = 600_000;
