/** Casts as in PostgreSQL: each type defines its own, and arrays are cast element by element. */
import type { Value } from '../value.ts';
import { mapArray } from './array/array.ts';
import type { Cast, Type } from './type.ts';

/** Every type casts to text, and text casts to every type. */
export function isCastable(from: Type, to: Type): boolean {
  if (from.element !== undefined && to.element !== undefined) return isCastable(from.element, to.element);
  return from.kind === to.kind || to.kind === 'text' || castOf(from, to) !== undefined;
}

export function castValue(from: Type, to: Type, value: Value): Value {
  const [one, other] = [from.element, to.element];
  if (one !== undefined && other !== undefined) {
    return mapArray(one, other, value, (item) => castValue(one, other, item));
  }
  const text = (castOf(from, to) ?? from.print)(value, to);
  return text === null ? null : to.store(text);
}

function castOf({ casts }: Type, { kind }: Type): Cast | undefined {
  return casts[kind] ?? casts['*'];
}
