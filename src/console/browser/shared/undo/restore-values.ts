/**
 * Writes that undo something. Each request names the values that the original write left, as conditions. A row that
 * someone else changed does not meet them, and stays as it is.
 */
import type { Field } from '../../../../collection/declaration.ts';
import { storeJson } from '../../../../collection/types/type.ts';
import { listPath } from '../api/collection.ts';
import { ask, countIn } from '../api/http.ts';

export interface Step {
  readonly method: 'PATCH' | 'DELETE';
  /** The filter: keys and expected values. */
  readonly query: string;
  readonly body?: unknown;
  readonly rows: number;
}

/** Parallel requests, as many as a browser sends to one host. */
const PARALLEL_REQUESTS = 6;

/** A condition for `and` and `or`. */
export function stillEquals(field: Field, value: unknown): string {
  if (value === null || value === undefined) return `${field.name}.is.null`;
  const text = field.type.print(storeJson(field.type, value));
  return `${field.name}.eq."${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

export function stillEqualAll(conditions: readonly string[]): string {
  return `and=(${encodeURIComponent(conditions.join(','))})`;
}

/**
 * Returns a function that sends the steps and resolves to the number of reverted rows. After a failure, a second call
 * only sends the remaining steps.
 */
export function makeReverter(steps: readonly Step[], progress?: (rows: number) => void): () => Promise<number> {
  const left = [...steps];
  let met = 0;
  let done = 0;
  const send = async (step: Step) => {
    const { headers } = await ask(`${listPath}?${step.query}`, {
      method: step.method,
      headers: { prefer: 'return=minimal, count=exact' },
      ...(step.body === undefined ? {} : { body: step.body }),
    });
    left.splice(left.indexOf(step), 1);
    met += countIn(headers);
    done += step.rows;
    progress?.(done);
  };
  return async () => {
    while (left.length > 0) await Promise.all(left.slice(0, PARALLEL_REQUESTS).map(send));
    return met;
  };
}
