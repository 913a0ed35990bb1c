/** The order of values, equal on both engines, and sort keys: texts that sort like the values that they encode. */
import type { Value } from '../value.ts';
import type { Type } from './type.ts';

/** Negative if the first value is smaller, zero if both are equal. */
export function compareValues(type: Type, one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compareText(type.key(one), type.key(other));
}

/** Compares by code point: surrogates sort after all other UTF-16 units. */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (left === right) continue;
    const isHalf = isSurrogate(left);
    return isHalf === isSurrogate(right) ? left - right : isHalf ? 1 : -1;
  }
  return one.length - other.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** A part of any length; a prefix sorts before its continuation. */
export function keyPart(text: string): string {
  return `${text.replaceAll('\u0001', '\u0001\u0002')}\u0001\u0001`;
}

/** A count that sorts numerically. */
export function keyCount(count: number): string {
  return String(count).padStart(10, '0');
}
