/** Defaults that are made anew for each row, by their words in a declaration, and the types that have them. */
import type { Type } from './types/type.ts';

export const GENERATED = ['now', 'uuid'] as const;
export type Generated = (typeof GENERATED)[number];

const TIMES: readonly Type['input'][] = ['date', 'time', 'datetime'];

/** Whether it is a day, a time of day, or both. */
export function isTime(type: Type): boolean {
  return TIMES.includes(type.input);
}

const HAS: Readonly<Record<Generated, (type: Type) => boolean>> = {
  now: isTime,
  uuid: (type) => type.kind === 'uuid',
};

/** The word, where a default is one; any other default is a value of the type. */
export function generatedBy(type: Type, given: unknown): Generated | undefined {
  return GENERATED.find((word) => word === given && HAS[word](type));
}
