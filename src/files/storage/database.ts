/** Stores bytes in the database, in rows of 256 KiB. They are deleted with the row of their content. */
import { FairQueue } from '../../base/fair-queue.ts';
import { CHUNK_READS, CHUNK_WRITES, FILE_CHUNK_BYTES } from '../../base/limits/files.ts';
import type { Write } from '../../engine/engine.ts';
import { planWholeRow } from '../../plan/read/read.ts';
import { keyIs } from '../../plan/resolve.ts';
import type { FileRecords } from '../records.ts';
import { type Content, type Incoming, missingBytes, type NamePage, type Storage } from './storage.ts';

export class DatabaseStorage implements Storage {
  readonly location: string;

  constructor(private readonly records: FileRecords) {
    this.location = records.engine.location;
  }

  put(id: string): Incoming {
    return new IncomingChunks(this.records, id);
  }

  get({ id }: Content, start: number, end: number): AsyncIterable<Uint8Array> {
    return readChunks(this.records, id, start, end);
  }

  async delete(): Promise<void> {}

  async list(): Promise<NamePage> {
    return { names: [], next: undefined };
  }
}

/** Downloads take turns, each with one chunk in memory, and leave most connections of a database to others. */
const chunkReads = new FairQueue({ places: CHUNK_READS, placesPerCaller: CHUNK_READS });

async function* readChunks(records: FileRecords, id: string, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const position = Math.floor(at / FILE_CHUNK_BYTES);
    const first = position * FILE_CHUNK_BYTES;
    const chunk = planWholeRow(records.chunks, [id, position]);
    const [row] = await chunkReads.run(id, 0, () =>
      records.eventually<{ data: string }>((mayLag) => records.rows(chunk, mayLag)),
    );
    if (row === undefined) throw missingBytes(`chunk ${position} of content ${id}`);
    yield Buffer.from(row.data, 'hex').subarray(at - first, end - first);
    at = first + FILE_CHUNK_BYTES;
  }
}

/** The row of a content while its bytes arrive. */
export class IncomingRow {
  protected hasRow = false;

  constructor(
    protected readonly records: FileRecords,
    protected readonly id: string,
  ) {}

  async reserve(size: number): Promise<void> {
    await this.records.execute([this.row({ size })]);
    this.hasRow = true;
  }

  async discard(): Promise<void> {
    const { contents } = this.records;
    if (this.hasRow) await this.records.execute([this.records.deletion(contents, keyIs(contents, [this.id]))]);
  }

  protected row(fields: Partial<Content>): Write {
    return this.records.content({ id: this.id, ...fields }, this.hasRow);
  }
}

/** Chunks of uploads take turns as well: a database that stores many at once delays everything else. */
const chunkWrites = new FairQueue({ places: CHUNK_WRITES, placesPerCaller: CHUNK_WRITES });

class IncomingChunks extends IncomingRow implements Incoming {
  private position = 0;

  async write(chunk: Buffer): Promise<void> {
    const writes = [...(this.hasRow ? [] : [this.row({ size: 0 })]), this.chunk(chunk)];
    await chunkWrites.run(this.id, 0, () => this.records.execute(writes));
    this.hasRow = true;
    this.position++;
  }

  async whole(rest: Buffer): Promise<Buffer> {
    if (this.position === 0) return rest;
    const stored = readChunks(this.records, this.id, 0, this.position * FILE_CHUNK_BYTES);
    return Buffer.concat([...(await Array.fromAsync(stored)), rest]);
  }

  async finish({ sha256, size }: Content, rest: Buffer): Promise<readonly Write[]> {
    return [this.row({ sha256, size }), ...(rest.length === 0 ? [] : [this.chunk(rest)])];
  }

  private chunk(data: Buffer): Write {
    return this.records.insertion(this.records.chunks, { content: this.id, position: this.position, data });
  }
}
