/** Limits of the live feed. */

/**
 * Entries of the log that one step covers. A condition has a term for each, and SQLite limits the depth of conditions.
 */
export const STEP_CHANGES = 400;
/** Beyond this many changes, reading the list again is cheaper than to resume. */
export const MAX_RESUMED_CHANGES = 100_000;
/** How often the service looks for changes. */
export const STEP_MS = 50;
/**
 * The pause of a list after a step with events: every step costs a packet for each client. Writes within it share a
 * step. Changes still arrive within a quarter of a second.
 */
export const STEP_PAUSE_MS_PER_CLIENT = 0.16;
export const MAX_STEP_PAUSE_MS = 160;
export const HEARTBEAT_MS = 15_000;
/** How often the service checks the credentials of open feeds. */
export const CREDENTIAL_CHECK_MS = 1_000;
/** A client with more unsent bytes is disconnected before the next step. */
export const MAX_UNSENT_BYTES = 256 * 1024;
/** If the feeds of a caller have more unsent bytes together, the one that would get further ones is disconnected. */
export const MAX_UNSENT_BYTES_PER_CALLER = 32 * 1024 * 1024;
/** If all feeds have more unsent bytes, feeds of the caller with the most are disconnected. */
export const MAX_UNSENT_BYTES_IN_TOTAL = 128 * 1024 * 1024;
/** A longer step covers fewer changes. If one change is longer, its clients resume, each at its own pace. */
export const MAX_STEP_BYTES = 4 * 1024 * 1024;
/** Steps of several lists that are evaluated at once, in total and of one caller. */
export const PARALLEL_STEPS = 4;
export const PARALLEL_STEPS_PER_CALLER = 2;
/** Other callers do not wait longer for the step of a list, which then rests for as long as the step exceeded this. */
export const STEP_BUDGET_MS = 100;
/** Late steps at once, each with rows in memory. Beyond this number, the others wait. */
export const MAX_LATE_STEPS = 4;
/** Lists whose steps take longer wait for each other, with one read at a time. */
export const SLOW_STEP_MS = 1_000;
/** With fewer lists, each reads its changed rows. With more, the changed rows first show which lists they affect. */
export const FEW_LISTS = 4;
/** The lists of clients that join are read at once, in total and for one caller. */
export const PARALLEL_JOINS = 2;
export const PARALLEL_JOINS_PER_CALLER = 1;
/** The share of --max-feeds that callers without a name may use together, if the catalogue has roles. */
export const ANONYMOUS_SHARE = 3 / 4;
/** The clocks of the service and the database may differ by this, and steps may be late by this. */
export const CLOCK_DIFFERENCE_MS = 5_000;
/** When a client reconnects. After a stop, clients spread over this time. */
export const RECONNECT_MS = 2_000;
export const RECONNECT_SPREAD_MS = 4_000;
/** Limits of a websocket of Supabase Realtime. A client sends a heartbeat every 25 seconds. */
export const MAX_CHANNELS = 100;
export const MAX_REALTIME_MESSAGE_BYTES = 64 * 1024;
export const REALTIME_IDLE_SECONDS = 90;
export const DEFAULT_MAX_FEEDS = 2_000;
