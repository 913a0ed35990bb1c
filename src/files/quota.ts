/** The limit of all files together. Resized images do not count. */
import type { ApiError } from '../base/errors.ts';
import { FILE_QUOTA_BYTES, NEW_FILE_MS, OLD_FILES_MIN_MS, OLD_FILES_MS } from '../base/limits/files.ts';
import type { Collection } from '../collection/declaration.ts';
import type { Predicate } from '../plan/types.ts';
import { notStored } from './errors.ts';
import type { FileRecords } from './records.ts';
import type { Incoming } from './storage/storage.ts';

export class Quota {
  /** The files before a time: none is added to them, so their total can only be too large. The others have an index. */
  private old = { before: '', bytes: 0, readAt: Number.NEGATIVE_INFINITY };
  private turn: Promise<void> = Promise.resolve();
  private readonly isCounted: Predicate;

  constructor(private readonly records: FileRecords) {
    const isVariant = records.isContentUsedBy(records.variants, 'variant');
    const isFile = records.isContentUsedBy(records.files, 'content');
    this.isCounted = { kind: 'any', terms: [{ kind: 'not', term: isVariant }, isFile] };
  }

  /** The bytes that a file may have, to reject others before they have arrived. */
  async room(max: number, maxFile: number): Promise<number> {
    return max - FILE_QUOTA_BYTES - (await this.total(max - FILE_QUOTA_BYTES - maxFile));
  }

  /**
   * Reserves the bytes of a received file, or rejects it. The reservation is stored before the total is read, so that
   * the limit also holds for several processes. Files of one process take turns: one that is rejected does not count
   * for the next.
   */
  async admit(max: number, size: number, incoming: Incoming): Promise<void> {
    const admitted = this.turn.then(async () => {
      await incoming.reserve(size + FILE_QUOTA_BYTES);
      if ((await this.total(max)) <= max) return;
      await incoming.discard();
      throw overQuota(max);
    });
    this.turn = admitted.catch(() => undefined);
    return admitted;
  }

  /** The bytes of all files; exact if they exceed the limit. */
  private async total(limit: number): Promise<number> {
    const age = () => performance.now() - this.old.readAt;
    if (age() > OLD_FILES_MS) await this.readOld();
    const bytes = this.old.bytes + (await this.sum('gte', this.old.before));
    if (bytes <= limit || age() < OLD_FILES_MIN_MS) return bytes;
    await this.readOld();
    return this.old.bytes + (await this.sum('gte', this.old.before));
  }

  private async readOld(): Promise<void> {
    const before = new Date(Date.now() - NEW_FILE_MS).toISOString();
    const readAt = performance.now();
    this.old = { before, bytes: await this.sum('lt', before), readAt };
  }

  private async sum(operator: 'lt' | 'gte', time: string): Promise<number> {
    const { records } = this;
    const query = (from: Collection, select: string) =>
      ({ ...records.query(from, `select=${select}&created_at=${operator}.${time}`), isLookup: true }) as const;
    const sizes = query(records.contents, 'size.sum()');
    const where: Predicate = { kind: 'all', terms: [sizes.where, this.isCounted] };
    const [summed] = await records.rows<{ sum: number | null }>({ ...sizes, where });
    const [counted] = await records.rows<{ count: number }>(query(records.files, 'count()'));
    return (summed?.sum ?? 0) + (counted?.count ?? 0) * FILE_QUOTA_BYTES;
  }
}

export function overQuota(max: number): ApiError {
  const problem = `all files together may have ${max} bytes, and this one exceeds them`;
  return notStored('CAT413', problem, 'Remove references to files that are not needed, or raise --max-total-file-mb.');
}
