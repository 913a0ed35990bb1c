/** The limit of all files together. Resized images do not count. */
import { ApiError } from '../base/errors.ts';
import { FILE_QUOTA_BYTES, FILE_TOTAL_MS } from '../base/limits/files.ts';
import type { Predicate } from '../plan/types.ts';
import type { FileRecords } from './records.ts';
import type { Incoming } from './storage/storage.ts';

export class Quota {
  private total = { bytes: 0, until: 0 };
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly records: FileRecords) {}

  /** The bytes that a file may have, to reject others before they have arrived. Some seconds old. */
  async room(max: number): Promise<number> {
    if (performance.now() > this.total.until || this.total.bytes > max / 2) await this.read();
    return max - this.total.bytes - FILE_QUOTA_BYTES;
  }

  /**
   * Reserves the bytes of a received file, or rejects it. The reservation is stored before the total is read, so that
   * the limit also holds for several processes. Files of one process take turns: one that is rejected does not count
   * for the next.
   */
  async admit(max: number, size: number, incoming: Incoming): Promise<void> {
    const admitted = this.turn.then(async () => {
      await incoming.reserve(size + FILE_QUOTA_BYTES);
      if ((await this.read()) <= max) return;
      await incoming.discard();
      throw overQuota(max);
    });
    this.turn = admitted.catch(() => undefined);
    return admitted;
  }

  private async read(): Promise<number> {
    const { records } = this;
    const { files, contents, variants } = records;
    const isOriginal: Predicate = { kind: 'not', term: records.isContentUsedBy(variants, 'variant') };
    const sizes = { ...records.query(contents, 'select=size.sum()'), where: isOriginal };
    const [summed] = await records.rows<{ sum: number | null }>(sizes);
    const [counted] = await records.rows<{ count: number }>(records.query(files, 'select=count()'));
    const bytes = (summed?.sum ?? 0) + (counted?.count ?? 0) * FILE_QUOTA_BYTES;
    this.total = { bytes, until: performance.now() + FILE_TOTAL_MS };
    return bytes;
  }
}

export function overQuota(max: number): ApiError {
  return new ApiError('CAT413', `all files together may have ${max} bytes, and this one exceeds them`, {
    details: 'Nothing was stored.',
    hint: 'Remove references to files that are not needed, or raise --max-total-file-mb.',
  });
}
