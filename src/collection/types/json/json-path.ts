/**
 * Steps into JSON: a name selects a member of an object, an integer an element of an array, from the end if negative.
 * PostgreSQL stores a scalar as an array of one, so `->0` and `->-1` return the scalar itself.
 */
import { WrittenNumber } from '../../exact-json.ts';
import { printJson } from './json-text.ts';

const INDEX = /^-?\d+$/;

export function isIndex(key: string): boolean {
  return INDEX.test(key);
}

/** Whether the step also selects a scalar. */
export function isOnlyElement(key: string): boolean {
  return isIndex(key) && (Number(key) === 0 || Number(key) === -1);
}

/** Returns the value at a path, or undefined. */
export function stepInto(json: unknown, steps: readonly string[]): unknown {
  let inside: unknown = json;
  for (const key of steps) {
    if (isSingle(inside)) {
      if (inside === undefined || !isOnlyElement(key)) return undefined;
    } else if (isIndex(key)) inside = Array.isArray(inside) ? inside.at(Number(key)) : undefined;
    else if (Array.isArray(inside) || !Object.hasOwn(inside, key)) return undefined;
    else inside = (inside as Record<string, unknown>)[key];
  }
  return inside;
}

function isSingle(json: unknown): json is undefined | null | string | number | boolean | WrittenNumber {
  return typeof json !== 'object' || json === null || json instanceof WrittenNumber;
}

/** The value as `->>` returns it: a text unquoted, null as SQL null. */
export function shownText(json: unknown): string | null {
  if (json === null || json === undefined) return null;
  return typeof json === 'string' ? json : printJson(json);
}
