/** Counts the rows and values of a body against the limits. */
import { ApiError } from '../../base/errors.ts';
import { MAX_BODY_ROWS, MAX_BODY_VALUES, MAX_NUMBER_LENGTH, MAX_ROW_VALUES } from '../../base/limits/http.ts';

export class BodyCount {
  private values = 0;
  private inRow = 0;

  /** `rows` is the initial count. */
  constructor(private rows: number) {}

  /** Counts a row. */
  row(): void {
    this.inRow = 0;
    if (++this.rows > MAX_BODY_ROWS) throw tooMany(`${MAX_BODY_ROWS} rows`);
  }

  value(): void {
    if (++this.values > MAX_BODY_VALUES) throw tooMany(`${MAX_BODY_VALUES} names and values`);
    if (++this.inRow > MAX_ROW_VALUES)
      throw tooMany(`${MAX_ROW_VALUES} names and values in one row, or in one request of a batch`);
  }
}

function tooMany(what: string): ApiError {
  return new ApiError('54000', `a body may hold ${what}`, {
    details: 'Nothing was changed.',
    hint: 'Send the rows in several requests, or store them with catalogue import.',
  });
}

export function numberTooLong(): ApiError {
  return new ApiError('54000', `a number of a body may have ${MAX_NUMBER_LENGTH} characters`, {
    details: 'Nothing was changed.',
  });
}
