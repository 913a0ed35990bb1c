/** Decodes and resizes images on a thread of the runtime, within a pixel limit. */
import { ApiError } from '../base/errors.ts';
import { MAX_DECODED_IMAGES, MAX_IMAGE_PIXELS, MAX_WAITING_IMAGES } from '../base/limits/files.ts';
import { coverSize, cropMiddle } from './crop.ts';

export interface ImageFacts {
  readonly width: number;
  readonly height: number;
  /** A tiny preview, as a data URL. */
  readonly placeholder: string;
}

const UNBOUNDED = 16_383;

let decoding = 0;
const waiting: (() => void)[] = [];

/** Rejects an image that has too many pixels or cannot be decoded, so that every stored one can be shown. */
export async function inspectImage(load: () => Promise<Uint8Array>): Promise<ImageFacts> {
  return inTurn(async () => {
    // Loaded in turn: waiting images are not in memory.
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

export type ImageFormat = 'webp' | 'jpeg' | 'png';

/** A box for the image; a missing side follows from the other. */
export interface Box {
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Whether the image covers the box, and is cropped, instead of fitting into it. */
  readonly covers: boolean;
}

/** The image in the box, never enlarged. */
export async function resizeImage(bytes: Uint8Array, box: Box, format: ImageFormat): Promise<Uint8Array> {
  const { width, height, covers } = box;
  return inTurn(async () => {
    const image = new Bun.Image(bytes, { maxPixels: MAX_IMAGE_PIXELS });
    if (covers && width !== undefined && height !== undefined) {
      const size = coverSize(await image.metadata(), { width, height });
      const whole = await image.resize(size.width, size.height).png({ compressionLevel: 0 }).buffer();
      return new Bun.Image(await cropMiddle(whole, { width, height }))[format]().bytes();
    }
    const options = { fit: 'inside', withoutEnlargement: true } as const;
    if (width !== undefined || height !== undefined) image.resize(width ?? UNBOUNDED, height ?? UNBOUNDED, options);
    return image[format]().bytes();
  });
}

/** Decoded pixels take much memory, so that only a few images are decoded at once. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= MAX_WAITING_IMAGES) {
    throw new ApiError('CAT503', 'too many images are being decoded', {
      hint: 'Try again in a moment.',
      headers: { 'retry-after': '1' },
    });
  }
  while (decoding >= MAX_DECODED_IMAGES) await new Promise<void>((resolve) => waiting.push(resolve));
  decoding++;
  try {
    return await work();
  } finally {
    decoding--;
    waiting.shift()?.();
  }
}

function rejection({ code, message }: Error & { readonly code?: string }): ApiError {
  const details = 'Nothing was stored.';
  if (code === 'ERR_IMAGE_TOO_MANY_PIXELS') {
    const most = `the image has more than ${MAX_IMAGE_PIXELS} pixels`;
    return new ApiError('CAT413', most, { details, hint: 'Send a smaller image.' });
  }
  return new ApiError('CAT415', `the image cannot be decoded: ${message}`, {
    details,
    hint: 'Save the image again as PNG, JPEG or WebP.',
  });
}
