/** Stores bytes in a bucket of S3 or a compatible service. */
import { tmpdir } from 'node:os';
import type { FileRecords } from '../records.ts';
import { Bucket } from './bucket.ts';
import { Spool, type SpoolTarget } from './spool.ts';
import { type Content, type Incoming, MARKER, type MarkedStorage, type NamePage, nameOf } from './storage.ts';

export class S3Storage implements MarkedStorage, SpoolTarget {
  check?: () => Promise<void>;
  readonly temporary = tmpdir();
  private readonly bucket: Bucket;

  constructor(
    private readonly records: FileRecords,
    readonly location: string,
    options: Bun.S3Options = {},
  ) {
    this.bucket = new Bucket(location, options);
  }

  readMarker(): Promise<string | undefined> {
    return this.bucket.text(MARKER);
  }

  writeMarker(text: string): Promise<void> {
    return this.bucket.write(MARKER, text);
  }

  put(id: string): Incoming {
    return new Spool(this.records, this, id);
  }

  place(content: Content, path: string): Promise<void> {
    return this.bucket.place(nameOf(content), path, content.size);
  }

  get(content: Content, start: number, end: number): AsyncIterable<Uint8Array> {
    return this.bucket.parts(nameOf(content), start, end);
  }

  delete(name: string): Promise<void> {
    return this.bucket.delete(name);
  }

  async list(after: string): Promise<NamePage> {
    const { objects, next } = await this.bucket.list(after);
    return { names: objects.map(({ name }) => name), next };
  }
}
