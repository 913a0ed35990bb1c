/** Nested lists as PostgreSQL arrays: a flat list of elements and the size of each dimension. */
import { ApiError } from '../../../base/errors.ts';

export interface Elements<Element> {
  readonly items: readonly Element[];
  /** The outermost dimension first; empty for an array without elements. */
  readonly sizes: readonly number[];
}

/** A list of elements, or of lists that are all of one shape. */
export type Nested<Element> = readonly (Element | Nested<Element>)[];

/** PostgreSQL's limit. */
const MAX_DIMENSIONS = 6;

/** The first element determines the depth. Throws `mismatch` if a list is missing or has another length. */
export function elementsOf<Element>(
  list: Nested<Element>,
  mismatch: (isList: boolean) => ApiError,
): Elements<Element | Nested<Element>> {
  const sizes: number[] = [];
  for (let inner: unknown = list; Array.isArray(inner); inner = inner[0]) sizes.push(inner.length);
  checkDimensions(sizes.length);
  const items: (Element | Nested<Element>)[] = [];
  take(list, 0);
  return items.length === 0 ? { items, sizes: [] } : { items, sizes };

  function take(each: Element | Nested<Element>, depth: number): void {
    if (depth === sizes.length) {
      items.push(each);
      return;
    }
    if (!Array.isArray(each)) throw mismatch(false);
    if (each.length !== sizes[depth]) throw mismatch(true);
    for (const inner of each) take(inner, depth + 1);
  }
}

export function checkDimensions(count: number): void {
  if (count <= MAX_DIMENSIONS) return;
  throw new ApiError('54000', `number of array dimensions exceeds the maximum allowed (${MAX_DIMENSIONS})`);
}

/** Prints nested lists from the texts of their elements. */
export function printLists({ items, sizes }: Elements<string>, open: string, close: string): string {
  let lists = items;
  for (const size of sizes.slice(1).reverse()) {
    const longer: string[] = [];
    for (let at = 0; at < lists.length; at += size) {
      longer.push(`${open}${lists.slice(at, at + size).join(',')}${close}`);
    }
    lists = longer;
  }
  return `${open}${lists.join(',')}${close}`;
}
