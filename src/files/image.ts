/** Decodes and resizes images on threads of the runtime. Callers take turns, within limits of pixels. */
import { ApiError } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import {
  MAX_DECODED_IMAGES,
  MAX_DECODED_PIXELS,
  MAX_IMAGE_PIXELS,
  MAX_SHARED_PIXELS,
  MAX_WAITING_IMAGES,
  MAX_WAITING_PIXELS,
} from '../base/limits/files.ts';
import { say } from '../base/sentence.ts';
import { coverSize, cropMiddle, type Size } from './crop.ts';
import { notStored, SAVE_AGAIN } from './errors.ts';

interface ImageFacts extends Size {
  /** A tiny preview, as a data URL. */
  readonly placeholder: string;
}

/** Decoded pixels take much memory and time. One place is always left for other callers, and for small images. */
const decoders = new FairQueue({
  places: MAX_DECODED_IMAGES,
  placesPerCaller: MAX_DECODED_IMAGES - 1,
  budget: MAX_DECODED_PIXELS,
  smallCost: MAX_DECODED_PIXELS - MAX_IMAGE_PIXELS,
  maxWaiting: MAX_WAITING_IMAGES,
  maxWaitingCost: MAX_WAITING_PIXELS,
  tooMany: () =>
    new ApiError('CAT429', 'too many of your images wait to be decoded', {
      hint: 'Try again in a moment.',
      headers: { 'retry-after': '1' },
    }),
});

/** Runs work that decodes an image when it is the caller's turn. It loads the bytes itself: waiting takes no memory. */
export function decodeInTurn<T>(caller: string, { width, height }: Size, work: () => Promise<T>): Promise<T> {
  return decoders.run(caller, Math.min(width * height, MAX_IMAGE_PIXELS), work);
}

/**
 * Rejects an image that has too many pixels or cannot be decoded, so that every stored one can be shown. `head` are its
 * first bytes.
 */
export async function inspectImage(caller: string, head: Uint8Array, load: () => Promise<Uint8Array>) {
  return decodeInTurn(caller, await claimedSize(head), async (): Promise<ImageFacts> => {
    const bytes = await load();
    try {
      const image = new Bun.Image(bytes, { maxPixels: MAX_IMAGE_PIXELS });
      const { width, height } = await image.metadata();
      return { width, height, placeholder: await image.placeholder() };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw rejection(error as Error & { readonly code?: string });
    }
  });
}

/** An image whose size is not in its first bytes counts as one of the largest. */
async function claimedSize(head: Uint8Array): Promise<Size> {
  const unknown = { width: MAX_IMAGE_PIXELS, height: 1 };
  return new Bun.Image(head).metadata().catch(() => unknown);
}

export type ImageFormat = 'webp' | 'jpeg' | 'png';

/** A box for the image; a missing side follows from the other. */
export interface Box {
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Whether the image covers the box, and is cropped, instead of fitting into it. */
  readonly covers: boolean;
}

/** A decoded image, from which sizes are made. */
interface Decoded {
  readonly bytes: Uint8Array;
  /** The size of the original, from which the other sizes follow. */
  readonly size: Size;
}

/** Decodes an image once for several boxes, as large as they need. For one box, its bytes stay as they are. */
export async function decodeFor(boxes: readonly Box[], bytes: Uint8Array): Promise<Decoded> {
  const image = new Bun.Image(bytes, { maxPixels: MAX_IMAGE_PIXELS });
  const { width, height } = await image.metadata();
  const size = { width, height };
  const sizes = boxes.map((box) => sizeIn(box, size));
  const largest = sizes.reduce((one, other) => (other.width > one.width ? other : one));
  if (boxes.length < 2 || largest.width * largest.height > MAX_SHARED_PIXELS) return { bytes, size };
  if (largest.width < width) image.resize(largest.width, largest.height);
  return { bytes: await image.png({ compressionLevel: 0 }).bytes(), size };
}

/** The size of the whole image for a box, never enlarged. */
function sizeIn({ width = Infinity, height = Infinity, covers }: Box, size: Size): Size {
  if (covers) return coverSize(size, { width, height });
  const scale = Math.min(1, width / size.width, height / size.height);
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: side(size.width), height: side(size.height) };
}

/** The image in the box. */
export async function resizeImage({ bytes, size }: Decoded, box: Box, format: ImageFormat): Promise<Uint8Array> {
  const image = new Bun.Image(bytes, { maxPixels: MAX_IMAGE_PIXELS });
  const { width, height } = sizeIn(box, size);
  if (width < size.width || height < size.height) image.resize(width, height);
  if (!box.covers) return image[format]().bytes();
  const whole = await image.png({ compressionLevel: 0 }).buffer();
  return new Bun.Image(await cropMiddle(whole, { width: box.width!, height: box.height! }))[format]().bytes();
}

function rejection({ code, message }: Error & { readonly code?: string }): ApiError {
  return code === 'ERR_IMAGE_TOO_MANY_PIXELS'
    ? notStored('CAT413', `the image has more than ${MAX_IMAGE_PIXELS} pixels`, 'Send a smaller image.')
    : notStored('CAT415', say`the image cannot be decoded: ${message}`, SAVE_AGAIN);
}
