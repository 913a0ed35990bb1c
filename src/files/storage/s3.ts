/** Stores bytes in a bucket of S3 or a compatible service. */
import { tmpdir } from 'node:os';
import type { FileRecords } from '../records.ts';
import { Bucket } from './bucket.ts';
import { Spool, type SpoolTarget } from './spool.ts';
import { type Content, type Incoming, MARKER, type MarkedStorage, type NamePage, nameOf } from './storage.ts';

export class S3Storage extends Bucket implements MarkedStorage, SpoolTarget {
  check?: () => Promise<void>;
  readonly temporary = tmpdir();

  constructor(
    private readonly records: FileRecords,
    location: string,
    options?: Bun.S3Options,
  ) {
    super(location, options);
  }

  readMarker(): Promise<string | undefined> {
    return this.text(MARKER);
  }

  writeMarker(text: string): Promise<void> {
    return this.write(MARKER, text);
  }

  put(id: string): Incoming {
    return new Spool(this.records, this, id);
  }

  place(content: Content, path: string): Promise<void> {
    return this.upload(nameOf(content), path, content.size);
  }

  get(content: Content, start: number, end: number): AsyncIterable<Uint8Array> {
    return this.parts(nameOf(content), start, end);
  }

  async list(after: string): Promise<NamePage> {
    const { objects, next } = await this.objects(after);
    return { names: objects.map(({ name }) => name), next };
  }
}
