/** The size and format that a request asks for, on a ladder of few sizes. */
import { ApiError } from '../base/errors.ts';
import { IMAGE_SIDES } from '../base/limits/files.ts';
import type { Size } from './crop.ts';
import type { Box, ImageFormat } from './image.ts';

export const FORMATS: readonly ImageFormat[] = ['webp', 'jpeg', 'png'];
const PARAMETERS = ['width', 'height', 'fit', 'format'];

export interface Resizing extends Box {
  /** Undefined for the format of the original. */
  readonly format: ImageFormat | undefined;
}

/** The resizing that a query asks for; undefined if it asks for the original. */
export function readResizing(query: string): Resizing | undefined {
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

/** The box without the side that does not limit the image, so that equal results are one variant. */
export function limitingBox(size: Size, { width, height, covers }: Box): Box {
  if (covers || width === undefined || height === undefined) return { width, height, covers };
  const isWide = size.width * height >= size.height * width;
  return { width: isWide ? width : undefined, height: isWide ? undefined : height, covers };
}

export function invalid(message: string, hint: string): ApiError {
  return new ApiError('PGRST100', message, { hint });
}
