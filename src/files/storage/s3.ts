/** Stores bytes in a bucket of S3 or a compatible service. Keys, region and endpoint come from the environment. */
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { S3_PART_BYTES, S3_TIMEOUT_MS } from '../../base/limits/files.ts';
import type { FileRecords } from '../records.ts';
import { Spool, type SpoolTarget } from './spool.ts';
import {
  type Content,
  type Incoming,
  MARKER,
  type MarkedStorage,
  missingBytes,
  type NamePage,
  nameOf,
  unavailable,
  withStorage,
} from './storage.ts';

const LOCATION = /^s3:\/\/([^/]+)\/?(.*?)\/?$/;

export function isS3(location: string): boolean {
  return LOCATION.test(location);
}

export class S3Storage implements MarkedStorage, SpoolTarget {
  readonly temporary = tmpdir();
  private readonly client: Bun.S3Client;
  /** Empty, or it ends with a slash. */
  private readonly prefix: string;

  constructor(
    private readonly records: FileRecords,
    readonly location: string,
    options: Bun.S3Options = {},
  ) {
    const [, bucket, prefix] = LOCATION.exec(location)!;
    this.client = new Bun.S3Client({ ...options, bucket: bucket! });
    this.prefix = prefix === '' ? '' : `${prefix}/`;
  }

  readMarker(): Promise<string | undefined> {
    return this.within(() => this.file(MARKER).text().catch(unlessMissing));
  }

  async writeMarker(text: string): Promise<void> {
    await this.within(() => this.file(MARKER).write(text));
  }

  put(id: string): Incoming {
    return new Spool(this.records, this, id);
  }

  /** Sends parts as they are read, so that one part is in memory. */
  async place(content: Content, path: string): Promise<void> {
    const file = await open(path, 'r');
    try {
      const target = this.file(nameOf(content));
      const part = async (at: number) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(S3_PART_BYTES, content.size - at)), {
          position: at,
        });
        return buffer.subarray(0, bytesRead);
      };
      if (content.size <= S3_PART_BYTES) return void (await this.within(async () => target.write(await part(0))));
      const writer = target.writer({ partSize: S3_PART_BYTES, queueSize: 1, retry: 3 });
      for (let at = 0; at < content.size; ) {
        const bytes = await part(at);
        if (bytes.length === 0) throw new Error('the temporary file is too short');
        writer.write(bytes);
        await this.within(async () => writer.flush());
        at += bytes.length;
      }
      await this.within(async () => writer.end());
    } finally {
      await file.close();
    }
  }

  get(content: Content, start: number, end: number): AsyncIterable<Uint8Array> {
    return this.parts(content, start, end);
  }

  async delete(name: string): Promise<void> {
    await this.within(() => this.file(name).delete());
  }

  async list(after: string): Promise<NamePage> {
    const { prefix } = this;
    const page = await this.within(() => this.client.list({ prefix, startAfter: prefix + after }));
    const names = (page.contents ?? []).map(({ key }) => key.slice(prefix.length));
    return { names, next: page.isTruncated === true ? names.at(-1) : undefined };
  }

  /** One request for each part: a slow client does not fill the memory. */
  private async *parts(content: Content, start: number, end: number): AsyncGenerator<Uint8Array> {
    const file = this.file(nameOf(content));
    for (let at = start; at < end; ) {
      const slice = file.slice(at, Math.min(end, at + S3_PART_BYTES));
      const part = await this.within(() => slice.bytes().catch(unlessMissing));
      if (part === undefined || part.length === 0)
        throw missingBytes(`${nameOf(content)} has fewer than ${content.size} bytes`);
      yield part;
      at += part.length;
    }
  }

  private file(name: string): Bun.S3File {
    return this.client.file(this.prefix + name);
  }

  /** A service that does not answer counts as unavailable. */
  private within<T>(work: () => Promise<T>): Promise<T> {
    return withStorage(this.location, () => {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(unavailable(`${this.location}: no answer in time`)), S3_TIMEOUT_MS);
      return Promise.race([work(), late.promise]).finally(() => clearTimeout(timer));
    });
  }
}

function unlessMissing(error: { readonly code?: string }): undefined {
  if (error.code !== 'NoSuchKey') throw error;
}
