/** The error for a result that is not exactly one row. */
import { ApiError } from '../base/errors.ts';

export function notSingular(rows: number): ApiError {
  return new ApiError('PGRST116', 'Cannot coerce the result to a single JSON object', {
    details: `The result contains ${rows} rows`,
  });
}
