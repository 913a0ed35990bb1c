/** Caches the bytes of small files in memory, by SHA-256: they never change. Access to a file is checked before. */
import { CACHED_CONTENTS_BYTES, MAX_CACHED_CONTENT_BYTES } from '../base/limits/files.ts';
import { MAX_CACHED_TEXT_LENGTH } from '../base/limits/http.ts';
import { LruCache } from '../base/memo.ts';
import type { ChangeCounter, MaybePromise } from '../engine/engine.ts';
import { streamOf } from '../http/answer.ts';
import { andThen } from '../response/request-context.ts';
import type { Content } from './storage/storage.ts';
import type { FileStore } from './store.ts';
import type { Shown } from './variants.ts';

export class ContentCache {
  /** The oldest first. Responses share the memory of a blob. */
  private readonly blobs = new Map<string, Blob>();
  /** Contents that are being read. */
  private readonly inFlight = new Map<string, Promise<Blob>>();
  private bytes = 0;

  constructor(private readonly store: FileStore) {}

  /** The bytes from `start` to `end`, exclusively. Large files are streamed. */
  open(file: Shown, start: number, end: number): MaybePromise<Blob | ReadableStream<Uint8Array>> {
    const { content, size } = file;
    if (size <= MAX_CACHED_CONTENT_BYTES) return andThen(this.load(file), (blob) => part(blob, start, end));
    if (typeof content !== 'string') return part(blobOf([content]), start, end);
    return this.stream({ ...file, id: content }, start, end);
  }

  private async stream(content: Content, start: number, end: number): Promise<Blob | ReadableStream<Uint8Array>> {
    const bytes = await this.store.open(content, start, end);
    return bytes instanceof Blob ? bytes : begunStream(bytes);
  }

  private load(file: Shown): MaybePromise<Blob> {
    const { sha256 } = file;
    const cached = this.blobs.get(sha256);
    if (cached === undefined) return this.inFlight.get(sha256) ?? this.read(file);
    this.blobs.delete(sha256);
    this.blobs.set(sha256, cached);
    return cached;
  }

  private read({ sha256, size, content }: Shown): Promise<Blob> {
    const bytes = typeof content === 'string' ? this.store.bytes({ id: content, sha256, size }, 0, size) : [content];
    const reading = Array.fromAsync(bytes)
      .then((parts) => this.keep(sha256, blobOf(parts)))
      .finally(() => this.inFlight.delete(sha256));
    this.inFlight.set(sha256, reading);
    return reading;
  }

  private keep(sha256: string, blob: Blob): Blob {
    this.blobs.set(sha256, blob);
    this.bytes += blob.size;
    for (const [oldest, { size }] of this.blobs) {
      if (this.bytes <= CACHED_CONTENTS_BYTES) break;
      this.blobs.delete(oldest);
      this.bytes -= size;
    }
    return blob;
  }
}

function blobOf(parts: readonly Uint8Array[]): Blob {
  return new Blob(parts as Uint8Array<ArrayBuffer>[]);
}

function part(blob: Blob, start: number, end: number): Blob {
  return end - start === blob.size ? blob : blob.slice(start, end);
}

/** Reads the first part before the response begins, so that an error has a status. */
async function begunStream(iterable: AsyncIterable<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const bytes = iterable[Symbol.asyncIterator]();
  let part: Promise<IteratorResult<Uint8Array>> | undefined = bytes.next();
  await part;
  const next = () => {
    const taken = part ?? bytes.next();
    part = undefined;
    return taken;
  };
  return streamOf(next, { cancel: () => bytes.return?.(undefined) });
}

/** Caches values that were read from the data, until any process commits a change. */
export class UnchangedCache<T> {
  private readonly values: LruCache<T>;
  /** The change count of the values. */
  private changeCount = Number.NaN;

  /** Without a change counter nothing is cached. */
  constructor(
    private readonly changes: ChangeCounter | undefined,
    max: number,
  ) {
    this.values = new LruCache(max);
  }

  /** Taken before a read. */
  current(): number {
    return this.changes?.current() ?? Number.NaN;
  }

  get(key: string): T | undefined {
    const changeCount = this.current();
    if (changeCount !== this.changeCount) this.values.clear();
    this.changeCount = changeCount;
    return this.values.get(key);
  }

  /** `changeCount` is the one before the read. */
  set(key: string, value: T, changeCount: number): void {
    if (changeCount === this.changeCount && key.length <= MAX_CACHED_TEXT_LENGTH) this.values.set(key, value);
  }
}
