/** Combines `limit`, `offset` and the Range header into one page. */
import { ApiError } from '../base/errors.ts';
import type { Query } from './tree.ts';

export interface Page {
  readonly offset: number;
  /** Absent means no limit. */
  readonly limit?: number;
}

const RANGE = /^(\d+)-(\d*)$/;

/** A Range header that is not a range of items is ignored (RFC 9110, 14.2). */
export function pageOf(query: Query, rangeHeader: string | null): Page {
  const page = pageOfQuery(query);
  const match = rangeHeader === null ? null : RANGE.exec(rangeHeader);
  if (match === null) return page;
  const first = countable(match[1]!);
  const last = match[2] === '' ? Number.POSITIVE_INFINITY : countable(match[2]!);
  if (first > last) {
    throw notSatisfiable('The lower boundary must be lower than or equal to the upper boundary in the Range header.');
  }
  const offset = Math.max(first, page.offset);
  const end = Math.min(last + 1, page.limit === undefined ? Number.POSITIVE_INFINITY : page.offset + page.limit);
  if (end < offset) throw notSatisfiable('Limit should be greater than or equal to zero.');
  if (end === Number.POSITIVE_INFINITY) return { offset };
  return { offset, limit: Math.min(end - offset, Number.MAX_SAFE_INTEGER) };
}

/** A bound beyond the size of any collection, which both engines can represent. */
function countable(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER - 1);
}

export function pageOfQuery(query: Query): Page {
  const offset = query.offset ?? 0;
  return query.limit === undefined ? { offset } : { offset, limit: query.limit };
}

export function notSatisfiable(details: string, headers?: Readonly<Record<string, string>>, hint?: string): ApiError {
  return new ApiError('PGRST103', 'Requested range not satisfiable', { details, hint, headers });
}
