/** The rows that this page has changed. An answer to a request that began before a change does not hide it. */
import type { Collection, Row } from './catalogue.ts';
import { keyText } from './query/text.ts';

/** By collection and key: the row after its last change, and when the page knew. */
const written = new Map<string, { readonly row: Row; readonly at: number }>();

const idOf = (collection: Collection, row: Row): string => `${collection.name} ${keyText(collection, row)}`;

export function noteWritten(collection: Collection, rows: readonly Row[]): void {
  for (const row of rows) written.set(idOf(collection, row), { row, at: performance.now() });
}

/** The rows of an answer, with the changes that were stored after its request began. */
export function withWritten(collection: Collection, rows: readonly Row[], since: number): readonly Row[] {
  return rows.map((row) => {
    const own = written.get(idOf(collection, row));
    return own !== undefined && own.at > since ? { ...row, ...own.row } : row;
  });
}
