/** Splits long texts into chunks, because unsent text stays in memory. */
import { PART_LENGTH } from '../base/limits/engine.ts';

const LONGEST_PART = 4 * PART_LENGTH;

/** The first chunk of a text. It never splits a character. */
export function firstPart(text: string): string {
  if (text.length <= LONGEST_PART) return text;
  const isHalf = (text.charCodeAt(LONGEST_PART - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? LONGEST_PART - 1 : LONGEST_PART);
}
