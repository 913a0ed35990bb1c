/** Limits of stored files. */

/** The default of --max-file-bytes. */
export const DEFAULT_MAX_FILE_BYTES = 20 * 1024 * 1024;
/** The largest size that a setting or a declaration may allow. */
export const MAX_FILE_BYTES = 4 * 1024 ** 3;
/** The bytes of a file are stored in rows of this length; only the last one is shorter. */
export const FILE_CHUNK_BYTES = 256 * 1024;
/** The number of rows with bytes that are read at once, for all downloads together. */
export const CHUNK_READS = 2;
/** The same for rows with bytes that are written. */
export const CHUNK_WRITES = 1;
/** The maximum number of files in one request. */
export const MAX_FILES_PER_UPLOAD = 50;
/** The parts of a form, and the bytes of those that are not files. */
export const MAX_FORM_PARTS = 200;
export const MAX_SKIPPED_FORM_BYTES = 1024 * 1024;
/** Uploads in progress, in total and of one caller. */
export const MAX_UPLOADS = 256;
export const MAX_UPLOADS_PER_CALLER = 64;
/** The memory of their chunks, in total and of one caller. */
export const MAX_UPLOADS_BYTES = 128 * 1024 * 1024;
export const MAX_UPLOADS_BYTES_PER_CALLER = 32 * 1024 * 1024;
/** Each file counts for --max-total-file-mb with these bytes and its size, so that small files are limited. */
export const FILE_QUOTA_BYTES = 4 * 1024;
/** The largest number of files in a list that a declaration may allow; also the limit of a list without one. */
export const MAX_FILES_IN_LIST = 1_000;
/** The maximum number of pixels of an image: 12,000 × 8,000, for example. A decoded pixel takes 4 bytes. */
export const MAX_IMAGE_PIXELS = 100_000_000;
/** The maximum number of parts of an image, such as segments of JPEG, and the bytes that allow one more. */
export const MAX_IMAGE_PARTS = 10_000;
export const IMAGE_BYTES_PER_PART = 1024;
/** The images that are decoded at once: their number and their pixels. One caller leaves a place to others. */
export const MAX_DECODED_IMAGES = 2;
export const MAX_DECODED_PIXELS = 120_000_000;
/** The images of one caller that wait to be decoded: their number and their pixels. */
export const MAX_WAITING_IMAGES = 200;
export const MAX_WAITING_PIXELS = 25 * MAX_IMAGE_PIXELS;
/** One decoding serves this many sizes of an image, if the largest has at most this many pixels. */
export const SIZES_PER_DECODING = 4;
export const MAX_SHARED_PIXELS = 8_000_000;
/** The sides of resized images. Others are rounded up to these, so that an image has few variants. */
export const IMAGE_SIDES: readonly number[] = [64, 128, 256, 512, 1024, 2048];
/** The default of --max-resized-mb, and the number of variants that are removed at once beyond it. */
export const DEFAULT_MAX_RESIZED_MB = 1_024;
export const VARIANTS_PER_REMOVAL = 20;
/** A file that no row refers to is removed after this time. Until then its uploader may read it. */
export const ORPHAN_HOURS = 24;
/** The lifetime of a signed URL. */
export const DEFAULT_SIGNED_SECONDS = 3_600;
export const MAX_SIGNED_SECONDS = 7 * 86_400;
/** Orphans are looked for this often, in this many files at a time. */
export const ORPHAN_CHECK_MS = 60_000;
export const ORPHANS_PER_STEP = 200;
/** A kind of failure of this is logged at most this often. */
export const CLEANUP_LOG_MS = 3_600_000;
/** A file is new for this time, longer than clocks of processes differ and a write takes. */
export const NEW_FILE_MS = 300_000;
/** How long the size of other files is cached for --max-total-file-mb; the minimum applies if the limit is reached. */
export const OLD_FILES_MS = 60_000;
export const OLD_FILES_MIN_MS = 1_000;
/** The size of the memory cache of files, and of its largest entry. Larger files are streamed. */
export const CACHED_CONTENTS_BYTES = 32 * 1024 * 1024;
export const MAX_CACHED_CONTENT_BYTES = 1024 * 1024;
/** The size of parts that are sent to S3 and read from it. S3 accepts no smaller ones. */
export const S3_PART_BYTES = 5 * 1024 * 1024;
/** How long a request to S3 may take. */
export const S3_TIMEOUT_MS = 30_000;
/** The number of downloads whose file and permission are cached. */
export const MAX_CACHED_DOWNLOADS = 2_000;
/** How often the metrics count stored files. */
export const FILE_FIGURES_MS = 60_000;
