/**
 * jsonb's `@>`: an object contains another if it has its members, an array if it has its elements in any order; nested
 * values need only be contained as well. An array also contains a single value that is one of its elements.
 */
import { ApiError } from '../../../base/errors.ts';
import { MAX_CONTAINMENT_STEPS } from '../../../base/limits/engine.ts';
import { WrittenNumber } from '../../exact-json.ts';
import { jsonKey } from './json-order.ts';

export function jsonContains(whole: unknown, part: unknown): boolean {
  let steps = 0;
  if (Array.isArray(whole) && !isContainer(part)) return singlesOf(whole).has(jsonKey(part));
  return contains(whole, part);

  function contains(one: unknown, other: unknown): boolean {
    if (++steps > MAX_CONTAINMENT_STEPS) throw new ApiError('54000', 'too many elements to compare');
    if (!isContainer(other)) return !isContainer(one) && jsonKey(one) === jsonKey(other);
    if (Array.isArray(other)) return Array.isArray(one) && hasElements(one, other);
    if (!isContainer(one) || Array.isArray(one)) return false;
    return Object.keys(other).every((key) => Object.hasOwn(one, key) && contains(one[key], other[key]));
  }

  function hasElements(one: readonly unknown[], other: readonly unknown[]): boolean {
    const singles = singlesOf(one);
    const containers = one.filter(isContainer);
    return other.every((part) =>
      isContainer(part) ? containers.some((each) => contains(each, part)) : singles.has(jsonKey(part)),
    );
  }
}

/** The scalar elements by their keys: 1 and 1.0 are equal. */
function singlesOf(array: readonly unknown[]): ReadonlySet<string> {
  return new Set(array.filter((each) => !isContainer(each)).map(jsonKey));
}

function isContainer(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !(json instanceof WrittenNumber);
}
