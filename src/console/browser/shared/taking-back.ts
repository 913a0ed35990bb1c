/**
 * Writes that take something back. Each names the values that were left in its rows, as conditions of the same request: a row that
 * someone else has changed meanwhile does not meet them, and stays theirs.
 */
import type { Field } from '../../../collection/declaration.ts';
import { storeJson } from '../../../collection/types/type.ts';
import { listPath } from './collection.ts';
import { ask, countIn } from './http.ts';

export interface Step {
  readonly method: 'PATCH' | 'DELETE';
  /** Which rows, and as they were left. */
  readonly query: string;
  readonly body?: unknown;
  readonly rows: number;
}

/** Requests under way at a time: so many as a browser sends to one host. */
const AT_A_TIME = 6;

/** A condition as `and` and `or` read it. */
export function isStill(field: Field, value: unknown): string {
  if (value === null || value === undefined) return `${field.name}.is.null`;
  const text = field.type.print(storeJson(field.type, value));
  return `${field.name}.eq."${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

export function areStill(conditions: readonly string[]): string {
  return `and=(${encodeURIComponent(conditions.join(','))})`;
}

/**
 * Sends them, and resolves to the number of rows that were as they had been left. Steps that are done when one of them fails are not
 * sent again the next time.
 */
export function takingBack(steps: readonly Step[], progress?: (rows: number) => void): () => Promise<number> {
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
    while (left.length > 0) await Promise.all(left.slice(0, AT_A_TIME).map(send));
    return met;
  };
}
