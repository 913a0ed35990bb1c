/** Reads all contents of a catalogue, to check their bytes or to copy them to another storage. */
import { amount } from '../../base/amount.ts';
import { ApiError } from '../../base/errors.ts';
import { FILE_CHUNK_BYTES } from '../../base/limits/files.ts';
import type { Finding } from '../../engine/shared/maintenance.ts';
import type { FileStore } from '../store.ts';
import { type Content, MISSING_BYTES, type Storage } from './storage.ts';

const CONTENTS_PER_READ = 500;
const MAX_NAMED = 10;

/** Contents whose upload is complete, in the order of their ids. */
async function* contentsOf(store: FileStore): AsyncGenerator<Content> {
  for (let after = ''; ; ) {
    const from = after === '' ? '' : `&id=gt.${after}`;
    const page = `select=id,sha256,size&sha256=not.is.null&order=id&limit=${CONTENTS_PER_READ}${from}`;
    const contents = await store.rows<Content>(store.query(store.contents, page));
    yield* contents;
    if (contents.length < CONTENTS_PER_READ) return;
    after = contents.at(-1)!.id;
  }
}

/** Compares the bytes of every content with its SHA-256. */
export async function checkContents(store: FileStore): Promise<Finding> {
  const problems: string[] = [];
  let [count, bytes] = [0, 0];
  for await (const content of contentsOf(store)) {
    count++;
    bytes += content.size;
    const problem = await problemOf(store, content);
    if (problem !== undefined) problems.push(`${await namesOf(store, content)}: ${problem}`);
  }
  const { location } = await store.storage;
  const more = problems.length > MAX_NAMED ? [`and ${problems.length - MAX_NAMED} more`] : [];
  const detail =
    problems.length === 0
      ? `${amount(count, 'content')} with ${bytes} bytes in ${location}, all as uploaded`
      : [...problems.slice(0, MAX_NAMED), ...more].join('; ');
  return { check: 'files', ok: problems.length === 0, detail };
}

async function problemOf(store: FileStore, content: Content): Promise<string | undefined> {
  const hash = new Bun.CryptoHasher('sha256');
  try {
    for await (const part of store.bytes(content, 0, content.size)) hash.update(part);
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === MISSING_BYTES)) throw error;
    return 'the bytes are missing or damaged';
  }
  return hash.digest('hex') === content.sha256 ? undefined : 'the bytes are damaged';
}

/** A content without a file is a resized image, or an orphan. */
async function namesOf(store: FileStore, { id }: Content): Promise<string> {
  const files = await store.rows<{ id: string; name: string }>(store.query(store.files, `content=eq.${id}&limit=3`));
  return files.map((file) => `file ${file.id} (${file.name})`).join(', ') || `content ${id}, which no file uses`;
}

/** Copies the bytes of a content. */
export async function copyContent(store: FileStore, content: Content, target: Storage): Promise<void> {
  const incoming = target.put(content.id);
  try {
    for await (const part of store.bytes(content, 0, content.size)) await incoming.write(Buffer.from(part));
    await incoming.finish(content, Buffer.alloc(0));
  } finally {
    await incoming.discard();
  }
}

/** The bytes of a content as rows of the database. */
export async function* chunksOf(store: FileStore, content: Content) {
  for (let position = 0; position * FILE_CHUNK_BYTES < content.size; position++) {
    const start = position * FILE_CHUNK_BYTES;
    const parts = store.bytes(content, start, Math.min(content.size, start + FILE_CHUNK_BYTES));
    yield { content: content.id, position, data: Buffer.concat(await Array.fromAsync(parts)) };
  }
}
