/** What lies inside of JSON: a name takes a member of an object, a whole number an element of an array, from its end where it is negative. */
import { WrittenNumber } from '../exact-json.ts';
import { printJson } from './json-text.ts';

const INDEX = /^-?\d+$/;

export function isIndex(key: string): boolean {
  return INDEX.test(key);
}

/** Undefined where there is nothing. */
export function stepInto(json: unknown, steps: readonly string[]): unknown {
  let inside: unknown = json;
  for (const key of steps) {
    if (typeof inside !== 'object' || inside === null || inside instanceof WrittenNumber) return undefined;
    if (isIndex(key)) inside = Array.isArray(inside) ? inside.at(Number(key)) : undefined;
    else if (Array.isArray(inside) || !Object.hasOwn(inside, key)) return undefined;
    else inside = (inside as Record<string, unknown>)[key];
  }
  return inside;
}

/** As `->>` shows it: a text as it is, null as nothing. */
export function shownText(json: unknown): string | null {
  if (json === null || json === undefined) return null;
  return typeof json === 'string' ? json : printJson(json);
}
