/** Limits of stored files. */

/** The default of --max-file-bytes. */
export const DEFAULT_MAX_FILE_BYTES = 20 * 1024 * 1024;
/** The bytes of a file are stored in rows of this length; only the last one is shorter. */
export const FILE_CHUNK_BYTES = 256 * 1024;
/** The maximum number of files in one request. */
export const MAX_FILES_PER_UPLOAD = 50;
/** The maximum number of pixels of an image: 12,000 × 8,000, for example. A decoded pixel takes 4 bytes. */
export const MAX_IMAGE_PIXELS = 100_000_000;
/** The number of images that are decoded at once. */
export const MAX_DECODED_IMAGES = 2;
/** A file that no row refers to is removed after this time. Until then its uploader may read it. */
export const ORPHAN_HOURS = 24;
/** Orphans are looked for this often, in this many files at a time. */
export const ORPHAN_CHECK_MS = 60_000;
export const ORPHANS_PER_STEP = 200;
/** How long the total size of all files is cached, for --max-total-file-mb. */
export const FILE_TOTAL_MS = 10_000;
