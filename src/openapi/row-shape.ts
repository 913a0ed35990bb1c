/**
 * OpenAPI cannot say that a parameter decides the shape of an answer. The document therefore describes each collection
 * twice: under its own path with whole rows as JSON, and under `/rest/v1` with `select`, every media type and rows of
 * any shape.
 */
import { SUPABASE_PREFIX } from '../http/edge/prefix.ts';

export interface RowShape {
  readonly root: string;
  /** Whether `select` and `Accept` may change the rows. */
  readonly isFree: boolean;
  /** The name of an operation in this shape. */
  readonly id: (name: string) => string;
}

const WHOLE: RowShape = { root: '', isFree: false, id: (name) => name };
export const SELECTED: RowShape = { root: SUPABASE_PREFIX, isFree: true, id: (name) => `${name}_selected` };

export const SHAPES: readonly RowShape[] = [WHOLE, SELECTED];

/** The names of parameters, with `select` only if the shape allows it. */
export function withSelect({ isFree }: RowShape, select: string): readonly string[] {
  return isFree ? [select] : [];
}

/** A sentence that leads from an operation on whole rows to the one on rows of any shape. */
export function shapeWords({ isFree }: RowShape, path: string): string {
  return isFree
    ? 'The same resource as without `/rest/v1`, with rows of any shape: `select` chooses it, `Accept` the media type.'
    : `For \`select\`, CSV and other media types see \`${SUPABASE_PREFIX}${path}\`.`;
}
