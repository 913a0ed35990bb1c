/** Every bound of the service in one place. Over one of them a client gets a clear 4xx that names it. */

/** Longest request target (path and query) that is read. */
export const MAX_URL_LENGTH = 512 * 1024;
/** Largest request body, unless --max-body-mb says otherwise. */
export const DEFAULT_MAX_BODY_MB = 64;
/** Filters and logic conditions in one request. */
export const MAX_CONDITIONS = 500;
/** Values in one list: `in.(…)`, `eq(any).{…}`. */
export const MAX_LIST_VALUES = 50_000;
/** How deep `and(…)`, `or(…)` may nest. */
export const MAX_LOGIC_DEPTH = 20;
/** Columns in `select`, terms in `order`. */
export const MAX_TERMS = 200;
/** Length of an Idempotency-Key. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
/** How long an answer is kept for its Idempotency-Key. */
export const DEFAULT_IDEMPOTENCY_HOURS = 24;
/** How long requests under way may take to finish once the service stops. */
export const DRAIN_SECONDS = 10;
/** How long a connection waits for another process that holds the SQLite write lock. */
export const SQLITE_BUSY_MS = 5_000;
/** Writes that may share one commit. */
export const MAX_WRITES_PER_COMMIT = 512;

export const INT4_MIN = -2_147_483_648;
export const INT4_MAX = 2_147_483_647;
