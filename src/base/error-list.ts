/** Collects the errors of a request that asks for all of them. Memory stays bounded, however many there are. */
import { ApiError, onError } from './errors.ts';
import { MAX_LISTED_ERRORS } from './limits/http.ts';

/** Receives an error. It throws the error if the first one ends the request. */
export type Report = (error: ApiError) => void;

export const FAIL: Report = (error) => {
  throw error;
};

/** Reports an error of some work; its result is then undefined. */
export function attempt<T>(report: Report, work: () => T): T | undefined {
  return onError(ApiError, work, (error) => void report(error));
}

export class ErrorList {
  total = 0;
  /** The rows that have errors. */
  readonly indexes = new Set<number>();
  /** The rows that could not be read, so that their values are unknown. */
  readonly unread = new Set<number>();
  private errors: ApiError[] = [];

  readonly report: Report = (error) => {
    this.total++;
    if (error.index !== undefined) this.indexes.add(error.index);
    if (error.index !== undefined && error.code === 'PGRST102') this.unread.add(error.index);
    this.errors.push(error);
    if (this.errors.length >= 2 * MAX_LISTED_ERRORS) this.errors = this.first();
  };

  toError(): ApiError {
    const { total } = this;
    const isShort = total <= MAX_LISTED_ERRORS;
    return new ApiError('CAT400R', `the body has ${total} ${total === 1 ? 'error' : 'errors'}`, {
      details: `Nothing was changed.${isShort ? '' : ` The list has the first ${MAX_LISTED_ERRORS} errors.`}`,
      headers: { 'preference-applied': 'errors=all' },
      errors: this.first(),
      total,
    });
  }

  /** In the order of the rows. Errors about all rows come first. */
  private first(): ApiError[] {
    const ordered = this.errors.toSorted((one, other) => (one.index ?? -1) - (other.index ?? -1));
    return ordered.slice(0, MAX_LISTED_ERRORS);
  }
}
