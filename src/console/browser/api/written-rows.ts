/** The rows that this page has changed. An answer to a request that began before a change does not hide it. */
import type { Collection, Row } from './catalogue.ts';
import { keyText } from './query/text.ts';

/** No request takes longer. */
const LONGEST_REQUEST_MS = 60_000;

/** By collection and key, the latest last: the row after its last change, and when the page knew. */
const written = new Map<string, { readonly row: Row; readonly at: number }>();

const idOf = (collection: Collection, row: Row): string => `${collection.name} ${keyText(collection, row)}`;

export function rememberWritten(collection: Collection, rows: readonly Row[]): void {
  const now = performance.now();
  for (const row of rows) {
    const id = idOf(collection, row);
    written.delete(id);
    written.set(id, { row, at: now });
  }
  for (const [id, { at }] of written) {
    if (at > now - LONGEST_REQUEST_MS) break;
    written.delete(id);
  }
}

/** The rows of an answer, with the changes that were stored after its request began. */
export function withWritten(collection: Collection, rows: readonly Row[], since: number): readonly Row[] {
  return rows.map((row) => {
    const own = written.get(idOf(collection, row));
    return own !== undefined && own.at > since ? { ...row, ...own.row } : row;
  });
}
