/** What went wrong, in words of our own where the browser's would say nothing to a person. */
import { HttpError } from 'react-admin';
import { messageOf } from './http.ts';

export function said(error: unknown): string {
  // fetch refuses with a TypeError where there is no answer at all (https://fetch.spec.whatwg.org/#fetch-method).
  if (error instanceof TypeError) return 'The service cannot be reached.';
  if (error instanceof HttpError && error.status === 504) return 'The service took too long to answer.';
  return messageOf(error);
}
