/**
 * What lies inside of JSON: a name takes a member of an object, a whole number an element of an array, from its end where it is negative.
 * A single value is as an array of one: PostgreSQL stores it so, and `->0` and `->-1` are the value itself.
 */
import { WrittenNumber } from '../exact-json.ts';
import { printJson } from './json-text.ts';

const INDEX = /^-?\d+$/;

export function isIndex(key: string): boolean {
  return INDEX.test(key);
}

/** Whether it finds a single value, too. */
export function isOnlyElement(key: string): boolean {
  return isIndex(key) && (Number(key) === 0 || Number(key) === -1);
}

/** Undefined where there is nothing. */
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

/** As `->>` shows it: a text as it is, null as nothing. */
export function shownText(json: unknown): string | null {
  if (json === null || json === undefined) return null;
  return typeof json === 'string' ? json : printJson(json);
}
