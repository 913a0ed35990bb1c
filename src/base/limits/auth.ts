/** Limits of credentials, sessions and logins. */

/** The minimum length of a token secret: the output size of HS256 (RFC 7518, 3.2). */
export const MIN_SECRET_BYTES = 32;
/** The longest Authorization, apikey or session value. */
export const MAX_CREDENTIAL_LENGTH = 8_192;
/** The tolerated difference between clocks. */
export const TOKEN_LEEWAY_SECONDS = 30;
export const MAX_CACHED_CREDENTIALS = 10_000;
/** How long a cached key or session is valid: a revoked one is rejected within a second. */
export const CREDENTIAL_CACHE_MS = 500;
/** Limits of a JWKS: the number of keys, its size, the time to fetch it, */
export const MAX_PUBLIC_KEYS = 100;
export const MAX_JWKS_BYTES = 1024 * 1024;
export const JWKS_TIMEOUT_MS = 5_000;
/** the time before it is fetched again, and the pause between attempts to find a missing key. */
export const JWKS_FRESH_MS = 10 * 60_000;
export const JWKS_RETRY_MS = 10_000;
/** The maximum length of an account name, of a password, and of a login body. */
export const MAX_ACCOUNT_NAME_LENGTH = 100;
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_BYTES = 1_024;
export const MAX_LOGIN_BYTES = 16 * 1024;
export const MAX_CLAIMS_BYTES = 4_096;
/** The number of passwords hashed concurrently, each with 19 MiB, and queued. */
export const MAX_CONCURRENT_HASHES = 2;
export const MAX_QUEUED_HASHES = 64;
/** The time between two stored uses of a key, in one process. */
export const KEY_USE_MS = 3_600_000;
/** How long logins are stored, the failed ones that a process stores per hour, and the length of a device. */
export const LOGIN_DAYS = 30;
export const MAX_STORED_LOGIN_FAILURES = 1_000;
export const MAX_DEVICE_LENGTH = 200;
/** The number of names and addresses whose login attempts are tracked. */
export const MAX_TRACKED_LOGINS = 10_000;
