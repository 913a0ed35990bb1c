/** Checks images: decodes them on a thread of the runtime, within a pixel limit. */
import { ApiError } from '../base/errors.ts';
import { MAX_DECODED_IMAGES, MAX_IMAGE_PIXELS } from '../base/limits/files.ts';

export interface ImageFacts {
  readonly width: number;
  readonly height: number;
  /** A tiny preview, as a data URL. */
  readonly placeholder: string;
}

let decoding = 0;
const waiting: (() => void)[] = [];

/** Rejects an image that has too many pixels or cannot be decoded, so that every stored one can be shown. */
export async function inspectImage(bytes: Uint8Array): Promise<ImageFacts> {
  return inTurn(async () => {
    try {
      const image = new Bun.Image(bytes, { maxPixels: MAX_IMAGE_PIXELS });
      const { width, height } = await image.metadata();
      return { width, height, placeholder: await image.placeholder() };
    } catch (error) {
      throw rejection(error as Error & { readonly code?: string });
    }
  });
}

/** Decoded pixels take much memory, so that only a few images are decoded at once. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
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
