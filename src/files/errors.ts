/** Errors of uploads. */
import { ApiError, type ErrorCode } from '../base/errors.ts';

/** The hint for an image that cannot be read. */
export const SAVE_AGAIN = 'Save the image again as PNG, JPEG or WebP.';

/** Nothing of a rejected upload remains. */
export function notStored(code: ErrorCode, message: string, hint: string): ApiError {
  return new ApiError(code, message, { details: 'Nothing was stored.', hint });
}
