/** Objects in a bucket of S3 or a compatible service. Keys, region and endpoint come from the environment. */
import { open } from 'node:fs/promises';
import { S3_PART_BYTES, S3_TIMEOUT_MS } from '../../base/limits/files.ts';
import { missingBytes, type ObjectPage, type ObjectStore, unavailable, withStorage } from './storage.ts';

const LOCATION = /^s3:\/\/([^/]+)\/?(.*?)\/?$/;

export function isS3(location: string): boolean {
  return LOCATION.test(location);
}

export class Bucket implements ObjectStore {
  private readonly client: Bun.S3Client;
  /** Empty, or it ends with a slash. */
  private readonly prefix: string;

  constructor(
    readonly location: string,
    options: Bun.S3Options = {},
  ) {
    const [, bucket, prefix] = LOCATION.exec(location)!;
    this.client = new Bun.S3Client({ ...options, bucket: bucket! });
    this.prefix = prefix === '' ? '' : `${prefix}/`;
  }

  text(name: string): Promise<string | undefined> {
    return this.within(() => this.object(name).text().catch(unlessMissing));
  }

  /** Sends parts of a file as they are read, so that one part is in memory. */
  async put(name: string, path: string, size: number): Promise<void> {
    const file = await open(path, 'r');
    try {
      const target = this.object(name);
      const part = async (at: number) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(S3_PART_BYTES, size - at)), {
          position: at,
        });
        return buffer.subarray(0, bytesRead);
      };
      if (size <= S3_PART_BYTES) return void (await this.within(async () => target.write(await part(0))));
      const writer = target.writer({ partSize: S3_PART_BYTES, queueSize: 1, retry: 3 });
      for (let at = 0; at < size; ) {
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

  /** One request for each part: a slow client does not fill the memory. */
  async *get(name: string, size: number, start = 0, end = size): AsyncGenerator<Uint8Array> {
    const object = this.object(name);
    for (let at = start; at < end; ) {
      const slice = object.slice(at, Math.min(end, at + S3_PART_BYTES));
      const part = await this.within(() => slice.bytes().catch(unlessMissing));
      if (part === undefined || part.length === 0) throw missingBytes(`${name} has fewer than ${end} bytes`);
      yield part;
      at += part.length;
    }
  }

  async delete(name: string): Promise<void> {
    await this.within(() => this.object(name).delete());
  }

  async list(after: string): Promise<ObjectPage> {
    const { prefix } = this;
    const page = await this.within(() => this.client.list({ prefix, startAfter: prefix + after }));
    const objects = (page.contents ?? []).map(({ key, size = 0, lastModified = 0 }) => {
      return { name: key.slice(prefix.length), size, time: new Date(lastModified) };
    });
    return { objects, next: page.isTruncated === true ? objects.at(-1)?.name : undefined };
  }

  private object(name: string): Bun.S3File {
    return this.client.file(this.prefix + name);
  }

  /** A service that does not answer counts as unavailable. */
  private within<T>(work: () => Promise<T>): Promise<T> {
    return withStorage(this.location, () => {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(unavailable({ cause: `${this.location}: no answer in time` })),
        S3_TIMEOUT_MS,
      );
      return Promise.race([work(), late.promise]).finally(() => clearTimeout(timer));
    });
  }
}

function unlessMissing(error: { readonly code?: string }): undefined {
  if (error.code !== 'NoSuchKey') throw error;
}
