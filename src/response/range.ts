/** Content-Range and the status that belongs to it. */
import { notSatisfiable } from '../dialect/page.ts';

/** `<first>-<last>/<total>`; `*` without rows or without a count. */
export function contentRange(offset: number, rows: number, total: number | undefined): string {
  const range = rows === 0 ? '*' : `${offset}-${offset + rows - 1}`;
  return `${range}/${total ?? '*'}`;
}

/** 206 if the page is smaller than the total. An offset past the end of a counted result is rejected. */
export function pageStatus(
  offset: number,
  rows: number,
  total: number | undefined,
  limit: number | undefined,
  applied: Readonly<Record<string, string>>,
): 200 | 206 {
  if (total === undefined) return 200;
  if (offset > total && limit !== 0) {
    throw notSatisfiable(`An offset of ${offset} was requested, but there are only ${total} rows.`, {
      ...applied,
      'content-range': `*/${total}`,
    });
  }
  return rows < total ? 206 : 200;
}
