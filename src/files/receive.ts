/** Receives a file: hashes its bytes and stores them in chunks while they arrive. At most one chunk is in memory. */
import { ApiError } from '../base/errors.ts';
import {
  FILE_CHUNK_BYTES,
  MAX_UPLOADS,
  MAX_UPLOADS_BYTES,
  MAX_UPLOADS_BYTES_PER_CALLER,
  MAX_UPLOADS_PER_CALLER,
} from '../base/limits/files.ts';
import type { Write } from '../engine/engine.ts';
import type { IncomingBody } from '../http/body/incoming-body.ts';
import { notStored } from './errors.ts';
import { overQuota } from './quota.ts';
import type { Incoming } from './storage/storage.ts';
import type { FileStore, Upload } from './store.ts';

interface Room {
  readonly count: number;
  /** The bytes in memory. */
  readonly bytes: number;
  /** The bytes of files that are still arriving. */
  readonly arriving: number;
}

const NOTHING: Room = { count: 0, bytes: 0, arriving: 0 };
const UNLIMITED = Number.POSITIVE_INFINITY;
const ANY: Room = { count: UNLIMITED, bytes: UNLIMITED, arriving: UNLIMITED };
const TOTAL: Room = { ...ANY, count: MAX_UPLOADS, bytes: MAX_UPLOADS_BYTES };
const PER_CALLER: Room = { ...ANY, count: MAX_UPLOADS_PER_CALLER, bytes: MAX_UPLOADS_BYTES_PER_CALLER };

export class UploadBudget {
  private readonly uploads = new Set<UploadInProgress>();

  begin(caller: string, body: IncomingBody): UploadInProgress {
    const upload = new UploadInProgress(caller, body, this);
    this.makeRoom(caller, { ...NOTHING, count: 1 });
    this.uploads.add(upload);
    return upload;
  }

  end(upload: UploadInProgress): void {
    this.uploads.delete(upload);
  }

  makeRoom(caller: string, room: Room): void {
    const isOwn = (upload: UploadInProgress) => upload.caller === caller;
    if (!this.hasRoom(PER_CALLER, room, isOwn)) throw tooMany('CAT429', 'you have too many uploads in progress');
    if (!this.hasRoom(TOTAL, room)) throw tooMany('CAT503', 'too many uploads are in progress');
  }

  /** Drops stalled uploads until there is room. Returns whether there is. */
  hasRoom(limit: Room, { count, bytes }: Room, test = (_upload: UploadInProgress) => true): boolean {
    const uploads = [...this.uploads].filter(test);
    const sum = (part: 'memory' | 'arriving') => uploads.reduce((total, each) => total + each[part], 0);
    const isOver = () =>
      uploads.length + count > limit.count || sum('memory') + bytes > limit.bytes || sum('arriving') > limit.arriving;
    if (isOver()) uploads.sort((one, other) => other.body.idleMs - one.body.idleMs);
    while (isOver()) {
      const [longest] = uploads;
      if (longest?.body.isStalled !== true) return false;
      uploads.shift();
      longest.end();
      longest.body.drop();
    }
    return true;
  }
}

export class UploadInProgress {
  /** The bytes in memory, and those of the file that is arriving. */
  memory = 0;
  arriving = 0;

  constructor(
    readonly caller: string,
    readonly body: IncomingBody,
    private readonly budget: UploadBudget,
  ) {}

  /** Adds memory; a negative number releases it. */
  hold(bytes: number): void {
    if (bytes > 0) this.budget.makeRoom(this.caller, { ...NOTHING, bytes });
    this.memory += bytes;
  }

  /** Adds bytes of a file. Returns whether all that is arriving fits into the room. */
  arrive(bytes: number, room: number): boolean {
    this.arriving += bytes;
    return room === UNLIMITED || this.budget.hasRoom({ ...ANY, arriving: room }, NOTHING);
  }

  end(): void {
    this.budget.end(this);
  }
}

export function tooSlow(): ApiError {
  return tooMany('CAT503', 'the file came too slowly while others waited');
}

function tooMany(code: 'CAT429' | 'CAT503', message: string): ApiError {
  return notStored(code, message, 'Try again in a moment.').with({ headers: { 'retry-after': '1' } });
}

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
