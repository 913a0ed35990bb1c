/** Errors of uploads. */
import { ApiError, type ErrorCode } from '../base/errors.ts';
import { say, type Wording } from '../base/sentence.ts';

/** The hint for an image that cannot be read. */
export const SAVE_AGAIN = say`Save the image again as PNG, JPEG or WebP.`;

/** Nothing of a rejected upload remains. */
export function notStored(code: ErrorCode, message: Wording, hint: Wording): ApiError {
  return new ApiError(code, message, { details: say`Nothing was stored.`, hint });
}
