/** Receives a file: hashes its bytes and stores them in chunks while they arrive. At most one chunk is in memory. */
import { ApiError } from '../base/errors.ts';
import { FILE_CHUNK_BYTES } from '../base/limits/files.ts';
import type { Write } from '../engine/engine.ts';
import { notStored } from './errors.ts';
import { overQuota } from './quota.ts';
import type { Incoming } from './storage/storage.ts';
import type { FileStore, Upload } from './store.ts';
import type { UploadInProgress } from './upload-budget.ts';

export interface Limits {
  readonly maxFileBytes: number;
  /** The maximum size of all files; 0 for no limit. */
  readonly maxTotalBytes: number;
}

export class ReceivedFile implements Upload {
  readonly content = crypto.randomUUID();
  size = 0;
  /** The first chunk, which is never changed. */
  head: Buffer = Buffer.alloc(0);
  private readonly hash = new Bun.CryptoHasher('sha256');
  private chunk: Buffer = Buffer.allocUnsafe(FILE_CHUNK_BYTES);
  private filled = 0;
  private isStored = false;
  private stored: Promise<Incoming> | undefined;

  constructor(
    private readonly store: FileStore,
    private readonly limits: Limits,
    /** Counts memory and arriving bytes, which may be rejected. */
    private readonly progress?: Pick<UploadInProgress, 'hold' | 'arrive'>,
  ) {}

  /**
   * Resolves to the SHA-256. `onHead` is called with the first bytes, before anything is stored. `filter` may change
   * the bytes; the limits apply to those that arrive.
   */
  async receive(
    bytes: AsyncIterable<Uint8Array>,
    onHead: (head: Buffer) => void,
    filter: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array> = (unchanged) => unchanged,
  ): Promise<string> {
    const { maxTotalBytes, maxFileBytes } = this.limits;
    const { quota } = this.store;
    const room = maxTotalBytes === 0 ? Number.POSITIVE_INFINITY : await quota.room(maxTotalBytes, maxFileBytes);
    this.progress?.hold(FILE_CHUNK_BYTES);
    for await (const piece of filter(this.limited(bytes, room))) {
      this.size += piece.length;
      this.hash.update(piece);
      for (let at = 0; at < piece.length; ) {
        const part = piece.subarray(at, at + FILE_CHUNK_BYTES - this.filled);
        this.chunk.set(part, this.filled);
        this.filled += part.length;
        at += part.length;
        if (this.filled === FILE_CHUNK_BYTES) await this.storeChunk(onHead);
      }
    }
    if (this.size === 0) throw new ApiError('PGRST102', 'the file is empty', { hint: 'Send the bytes of the file.' });
    if (!this.isStored) this.begin(onHead);
    this.chunk = Buffer.from(this.rest());
    this.progress?.hold(this.filled - FILE_CHUNK_BYTES);
    if (maxTotalBytes > 0) await quota.admit(maxTotalBytes, this.size, await this.incoming());
    return this.hash.digest('hex');
  }

  async completion(sha256: string): Promise<readonly Write[]> {
    const incoming = await this.incoming();
    return incoming.finish({ id: this.content, sha256, size: this.size }, this.rest());
  }

  /** All bytes, for an image that is decoded. */
  async whole(): Promise<Buffer> {
    return this.isStored ? (await this.incoming()).whole(this.rest()) : this.rest();
  }

  async discard(): Promise<void> {
    await (await this.stored)?.discard();
  }

  private async *limited(bytes: AsyncIterable<Uint8Array>, room: number): AsyncGenerator<Uint8Array> {
    const { maxFileBytes, maxTotalBytes } = this.limits;
    let received = 0;
    try {
      for await (const piece of bytes) {
        received += piece.length;
        const fits = this.progress?.arrive(piece.length, room) ?? received <= room;
        if (received > maxFileBytes) {
          const hint = 'Send a smaller file, or raise --max-file-bytes.';
          throw notStored('CAT413', `the file is larger than ${maxFileBytes} bytes`, hint);
        }
        if (!fits) throw overQuota(maxTotalBytes);
        yield piece;
      }
    } finally {
      this.progress?.arrive(-received, Number.POSITIVE_INFINITY);
    }
  }

  private rest(): Buffer {
    return this.chunk.subarray(0, this.filled);
  }

  private incoming(): Promise<Incoming> {
    this.stored ??= (async () => (await this.store.storage).put(this.content))();
    return this.stored;
  }

  private begin(onHead: (head: Buffer) => void): void {
    this.head = this.chunk.subarray(0, this.filled);
    onHead(this.head);
  }

  private async storeChunk(onHead: (head: Buffer) => void): Promise<void> {
    if (!this.isStored) this.begin(onHead);
    await (await this.incoming()).write(this.chunk);
    this.chunk = Buffer.allocUnsafe(FILE_CHUNK_BYTES);
    this.filled = 0;
    this.isStored = true;
  }
}
