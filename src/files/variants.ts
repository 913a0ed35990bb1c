/** Resized images: made on demand, and stored beside the original. */
import { FILE_CHUNK_BYTES, FILE_FIGURES_MS, SIZES_PER_DECODING, VARIANTS_PER_REMOVAL } from '../base/limits/files.ts';
import { fieldExpression } from '../plan/resolve.ts';
import type { Predicate } from '../plan/types.ts';
import { type Box, decodeFor, decodeInTurn, type ImageFormat, resizeImage } from './image.ts';
import { RASTER_IMAGES } from './media-type.ts';
import { ReceivedFile } from './receive.ts';
import { FORMATS, invalid, limitingBox, type Resizing, readResizing } from './resizing.ts';
import { type Content, nameOf } from './storage/storage.ts';
import type { FileStore, StoredFile } from './store.ts';

class VariantCache {
  private bytes = 0;
  private readAt = Number.NEGATIVE_INFINITY;
  private makingRoom: Promise<void> | undefined;
  private readonly isVariant: Predicate;

  constructor(
    private readonly store: FileStore,
    private readonly maxBytes: number,
  ) {
    this.isVariant = store.isContentUsedBy(store.variants, 'variant');
  }

  /** Counts a stored variant. Resolves when there is room for it, which may need costly reads. */
  add(size: number): Promise<void> {
    this.bytes += size;
    this.makingRoom ??= this.makeRoom()
      .catch(() => undefined)
      .finally(() => {
        this.makingRoom = undefined;
      });
    return this.makingRoom;
  }

  /** Other processes also add variants. */
  private async makeRoom(): Promise<void> {
    if (performance.now() - this.readAt > FILE_FIGURES_MS) await this.read();
    while (this.bytes > this.maxBytes && (await this.removeOldest()));
  }

  private async read(): Promise<void> {
    this.readAt = performance.now();
    const { store } = this;
    const plan = { ...store.query(store.contents, 'select=size.sum()'), where: this.isVariant };
    const [row] = await store.rows<{ sum: number | null }>(plan);
    this.bytes = row?.sum ?? 0;
  }

  /** Resolves to whether a variant was removed. A content that is also a file stays. */
  private async removeOldest(): Promise<boolean> {
    const { store } = this;
    const page = store.query(store.contents, `select=id,sha256,size&order=created_at,id&limit=${VARIANTS_PER_REMOVAL}`);
    const oldest = await store.rows<Content>({ ...page, where: this.isVariant });
    const values = oldest.map(({ id }) => id);
    const among = (of: (typeof store.contents.key)[number]): Predicate => ({
      kind: 'in',
      of: fieldExpression(of),
      values,
    });
    const unused: Predicate = { kind: 'not', term: store.isContentUsedBy(store.files, 'content') };
    await store.execute([
      store.deletion(store.variants, among(store.variants.byName.get('variant')!)),
      store.deletion(store.contents, { kind: 'all', terms: [among(store.contents.key[0]!), unused] }),
    ]);
    for (const { size } of oldest) this.bytes -= size;
    const left = await store.rows<{ id: string }>({
      ...store.query(store.contents, 'select=id'),
      where: among(store.contents.key[0]!),
    });
    const storage = await store.storage;
    for (const content of oldest) {
      if (!left.some(({ id }) => id === content.id)) await storage.delete(nameOf(content));
    }
    return oldest.length > 0;
  }
}

/** The bytes to send for a file. */
export interface Shown extends Pick<StoredFile, 'name' | 'media_type' | 'size' | 'sha256'> {
  /** The id of the content, or the bytes themselves. */
  readonly content: string | Uint8Array;
}

type Made = Pick<Shown, 'size' | 'sha256' | 'content'>;

/** A variant that requests wait for. */
interface Wanted {
  readonly box: Box;
  readonly format: ImageFormat;
  readonly made: PromiseWithResolvers<Made>;
}

/** The variants of one original that a caller waits for, by form. One decoding serves several of them. */
type Batch = Map<string, Wanted>;

const NO_LIMITS = { maxFileBytes: Number.POSITIVE_INFINITY, maxTotalBytes: 0 };

export class Variants {
  /** Variants that wait for their turn, by caller and original. */
  private readonly waiting = new Map<string, Batch>();
  private readonly cache: VariantCache;
  /** For the metrics. `loaded` are the originals in memory. */
  resized = 0;
  decoded = 0;
  loaded = 0;
  seconds = 0;

  constructor(
    private readonly store: FileStore,
    maxBytes: number,
  ) {
    this.cache = new VariantCache(store, maxBytes);
  }

  async show(file: StoredFile, query: string, caller: string): Promise<Shown> {
    const resizing = readResizing(query);
    return resizing === undefined ? file : this.find(file, resizing, caller);
  }

  /** The file in this size and format. An image that fits already is not resized. */
  private async find(file: StoredFile, resizing: Resizing, caller: string): Promise<Shown> {
    if (!RASTER_IMAGES.includes(file.media_type)) {
      throw invalid(`the file ${file.name} is ${file.media_type}, and only images have sizes`, 'Leave out the size.');
    }
    const size = sizeOf(file);
    const fits = size.width <= (resizing.width ?? Infinity) && size.height <= (resizing.height ?? Infinity);
    const own = FORMATS.find((each) => file.media_type === `image/${each}`);
    const format = resizing.format ?? own ?? 'png';
    if (fits && format === own) return file;
    // All boxes that hold the whole image are the same.
    const box = fits ? { width: undefined, height: undefined, covers: false } : limitingBox(size, resizing);
    const form = `${box.width ?? ''}x${box.height ?? ''}${box.covers ? '-cover' : ''}-${format}`;
    const made = (await this.stored(file, form)) ?? (await this.join(file, form, { box, format }, caller));
    return { ...made, name: `${file.name.replace(/\.[^.]*$/, '')}.${format}`, media_type: `image/${format}` };
  }

  private async stored(file: StoredFile, form: string): Promise<Made | undefined> {
    const known = await this.store.variant(file.content, form);
    return known && { size: known.size, sha256: known.sha256, content: known.id };
  }

  private join(file: StoredFile, form: string, wanted: Omit<Wanted, 'made'>, caller: string): Promise<Made> {
    const key = `${caller} ${file.content}`;
    const batch: Batch = this.waiting.get(key) ?? new Map();
    const { made } = batch.get(form) ?? { made: Promise.withResolvers<Made>() };
    batch.set(form, { ...wanted, made });
    if (!this.waiting.has(key)) this.begin(key, file, batch, caller);
    return made.promise;
  }

  /** Waits for a turn of the caller before anything is loaded. Others of the batch join until then. */
  private begin(key: string, file: StoredFile, batch: Batch, caller: string): void {
    this.waiting.set(key, batch);
    const turn = decodeInTurn(caller, sizeOf(file), async () => {
      this.waiting.delete(key);
      const now = new Map([...batch].slice(0, SIZES_PER_DECODING));
      const later = new Map([...batch].slice(SIZES_PER_DECODING));
      // The rest waits for another turn, so that a batch does not hold its place for long.
      if (later.size > 0) this.begin(key, file, later, caller);
      await this.make(file, now).catch((error) => rejectAll(now, error));
    });
    turn.catch((error) => {
      this.waiting.delete(key);
      rejectAll(batch, error);
    });
  }

  private async make(file: StoredFile, batch: Batch): Promise<void> {
    for (const [form, { made }] of batch) {
      // Another caller may have waited for the same one.
      const known = await this.stored(file, form);
      if (known === undefined) continue;
      made.resolve(known);
      batch.delete(form);
    }
    if (batch.size === 0) return;
    this.loaded++;
    await this.resize(file, batch).finally(() => this.loaded--);
  }

  private async resize(file: StoredFile, batch: Batch): Promise<void> {
    const parts = await Array.fromAsync(this.store.bytes({ ...file, id: file.content }, 0, file.size));
    const started = performance.now();
    const boxes = [...batch.values()].map(({ box }) => box);
    const decoded = await decodeFor(boxes, Buffer.concat(parts.splice(0)));
    this.decoded++;
    for (const [form, { box, format, made }] of batch) {
      const bytes = await resizeImage(decoded, box, format);
      this.resized++;
      made.resolve(await this.storeVariant(file, form, bytes));
    }
    this.seconds += (performance.now() - started) / 1000;
  }

  /** Resolves to the stored variant, which is streamed, or to the bytes themselves, if they are few. */
  private async storeVariant(file: StoredFile, form: string, bytes: Uint8Array): Promise<Made> {
    const received = new ReceivedFile(this.store, NO_LIMITS);
    const isShort = bytes.length <= FILE_CHUNK_BYTES;
    // Another process may have stored it, or the disk may be full: the image is answered in any case.
    await received
      .receive(once(bytes), () => undefined)
      .then((sha256) => this.store.addVariant(file.content, form, sha256, received))
      .then(() => {
        const room = this.cache.add(bytes.length);
        // It may be removed to make room, so a long one is read back after that.
        return isShort ? undefined : room;
      })
      .catch(() => received.discard().catch(() => undefined));
    const stored = isShort ? undefined : await this.stored(file, form).catch(() => undefined);
    const sha256 = () => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    return stored ?? { size: bytes.length, sha256: sha256(), content: bytes };
  }
}

function sizeOf({ width, height }: StoredFile) {
  return { width: width ?? 0, height: height ?? 0 };
}

function rejectAll(batch: Batch, error: unknown): void {
  for (const { made } of batch.values()) made.reject(error);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
