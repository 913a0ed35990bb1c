/** Defaults that are made anew for each row, by their words in a declaration, and the types that have them. */
import type { Type } from './types/type.ts';

export const GENERATED = ['now', 'uuid'] as const;
export type Generated = (typeof GENERATED)[number];

/** The word, where a default is one; any other default is a value of the type. */
export function generatedBy(type: Type, given: unknown): Generated | undefined {
  return GENERATED.find((word) => word === given && type.generated?.[word] !== undefined);
}
