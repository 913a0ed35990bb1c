/** Resized images: made on demand, and stored beside the original. */
import { ApiError } from '../base/errors.ts';
import { IMAGE_SIDES } from '../base/limits/files.ts';
import { type Box, type ImageFormat, resizeImage } from './image.ts';
import { RASTER_IMAGES } from './media-type.ts';
import { ReceivedFile } from './receive.ts';
import type { FileStore, StoredFile } from './store.ts';

/** The bytes to send for a file. */
export interface Shown extends Pick<StoredFile, 'name' | 'media_type' | 'size' | 'sha256'> {
  /** The id of the content, or the bytes themselves. */
  readonly content: string | Uint8Array;
}

const FORMATS: readonly ImageFormat[] = ['webp', 'jpeg', 'png'];
const PARAMETERS = ['width', 'height', 'fit', 'format'];
const NO_LIMITS = { maxFileBytes: Number.POSITIVE_INFINITY, maxTotalBytes: 0 };

interface Resizing extends Box {
  /** Undefined for the format of the original. */
  readonly format: ImageFormat | undefined;
}

/** The resizing that a query asks for; undefined if it asks for the original. */
function readResizing(query: string): Resizing | undefined {
  const parameters = new URLSearchParams(query);
  if (!PARAMETERS.some((name) => parameters.has(name))) return undefined;
  const fit = parameters.get('fit') ?? 'inside';
  if (fit !== 'inside' && fit !== 'cover') throw invalid(`fit: ${fit} is not available`, 'Use inside or cover.');
  const given = parameters.get('format') ?? undefined;
  const format = FORMATS.find((each) => each === given);
  if (given !== format) throw invalid(`format: ${given} is not available`, `Use one of ${FORMATS.join(', ')}.`);
  const [width, height] = [side('width', parameters), side('height', parameters)];
  if (fit === 'cover' && (width === undefined || height === undefined)) {
    throw invalid('fit: cover needs width and height', 'Add the missing side, or use fit=inside.');
  }
  return { width, height, covers: fit === 'cover', format };
}

function side(name: string, parameters: URLSearchParams): number | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const wanted = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (wanted === 0) throw invalid(`${name}: ${text} is not a number of pixels`, `Use ${name}=320, for example.`);
  return IMAGE_SIDES.find((each) => each >= wanted) ?? IMAGE_SIDES.at(-1)!;
}

export class Variants {
  /** Variants that are being made, by content and form. */
  private readonly inFlight = new Map<string, Promise<Shown>>();
  /** For the metrics. */
  resized = 0;
  seconds = 0;

  constructor(private readonly store: FileStore) {}

  /** The file as a query asks for it. */
  async show(file: StoredFile, query: string): Promise<Shown> {
    const resizing = readResizing(query);
    return resizing === undefined ? file : this.find(file, resizing);
  }

  /** The file in this size and format. An image that fits already is not resized. */
  private async find(file: StoredFile, resizing: Resizing): Promise<Shown> {
    if (!RASTER_IMAGES.includes(file.media_type)) {
      throw invalid(`the file ${file.name} is ${file.media_type}, and only images have sizes`, 'Leave out the size.');
    }
    const { width, height, covers } = resizing;
    const own = FORMATS.find((each) => file.media_type === `image/${each}`);
    const format = resizing.format ?? own ?? 'png';
    const fits = (file.width ?? 0) <= (width ?? Infinity) && (file.height ?? 0) <= (height ?? Infinity);
    if (fits && format === own) return file;
    const form = `${width ?? ''}x${height ?? ''}${covers ? '-cover' : ''}-${format}`;
    const shown = { name: `${file.name.replace(/\.[^.]*$/, '')}.${format}`, media_type: `image/${format}` };
    const known = await this.store.variant(file.content, form);
    if (known !== undefined) return { ...shown, size: known.size, sha256: known.sha256, content: known.id };
    const key = `${file.content} ${form}`;
    const making = this.inFlight.get(key) ?? this.make(file, resizing, format, form);
    this.inFlight.set(key, making);
    return { ...(await making.finally(() => this.inFlight.delete(key))), ...shown };
  }

  private async make(file: StoredFile, box: Box, format: ImageFormat, form: string): Promise<Shown> {
    const parts = await Array.fromAsync(this.store.bytes({ ...file, id: file.content }, 0, file.size));
    const started = performance.now();
    const content = await resizeImage(Buffer.concat(parts), box, format);
    this.resized++;
    this.seconds += (performance.now() - started) / 1000;
    const received = new ReceivedFile(this.store, NO_LIMITS);
    // Another process may have stored it, or the disk may be full: the image is answered in any case.
    await received
      .receive(once(content), () => undefined)
      .then((sha256) => this.store.addVariant(file.content, form, sha256, received))
      .catch(() => received.discard().catch(() => undefined));
    const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex');
    return { name: file.name, media_type: '', size: content.length, sha256, content };
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function invalid(message: string, hint: string): ApiError {
  return new ApiError('PGRST100', message, { hint });
}
