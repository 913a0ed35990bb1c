/** The metrics of files. The figures of stored files are read in the background, at most once a minute. */
import { FILE_FIGURES_MS } from '../base/limits/files.ts';
import { counter, gauge, type Metric } from '../base/metric.ts';
import type { FileStore } from './store.ts';
import type { Variants } from './variants.ts';

export class FileMetrics {
  uploadedBytes = 0;
  /** Failed attempts to remove orphans. */
  cleanupFailures = 0;
  private stored = { files: 0, bytes: 0 };
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: FileStore,
    private readonly variants: Variants,
  ) {}

  all(): readonly Metric[] {
    if (performance.now() - this.readAt > FILE_FIGURES_MS) void this.read().catch(() => undefined);
    const { resized, decoded, loaded, seconds } = this.variants;
    const { files, bytes } = this.stored;
    return [
      gauge('stored_files', 'Files, as of a scrape in the last minute.', files),
      gauge('stored_files_bytes', 'Bytes of files and their sizes.', bytes),
      counter('uploaded_bytes_total', 'Bytes of received files.', this.uploadedBytes),
      counter(
        'file_cleanup_failures_total',
        'Failed attempts to remove files that no row refers to.',
        this.cleanupFailures,
      ),
      counter('images_resized_total', 'Images resized, without stored ones.', resized),
      counter('image_resize_seconds_total', 'Time that this took.', seconds),
      counter('images_decoded_total', 'Images decoded for it. One decoding serves several sizes.', decoded),
      gauge('images_in_memory', 'Images that are being resized. Others wait before they are loaded.', loaded),
    ];
  }

  private async read(): Promise<void> {
    this.readAt = performance.now();
    const { store } = this;
    const [counted] = await store.rows<{ count: number }>(store.query(store.files, 'select=count()'));
    const [summed] = await store.rows<{ sum: number | null }>(store.query(store.contents, 'select=size.sum()'));
    this.stored = { files: counted?.count ?? 0, bytes: summed?.sum ?? 0 };
  }
}
