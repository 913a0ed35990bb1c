/** A long text is sent in several parts: what a client has not taken yet is held where requests are. */
import { PART_LENGTH } from '../limits.ts';

const LONGEST_PART = 4 * PART_LENGTH;

/** As much of a text as is sent at once. No character is cut in two. */
export function firstPart(text: string): string {
  if (text.length <= LONGEST_PART) return text;
  const isHalf = (text.charCodeAt(LONGEST_PART - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? LONGEST_PART - 1 : LONGEST_PART);
}
