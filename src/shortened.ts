import { MAX_ECHOED_LENGTH } from './limits.ts';

const END = 400;

/** A text that may repeat what a client sent, however long that was: its beginning and its end. */
export function shortened(text: string): string {
  if (text.length <= MAX_ECHOED_LENGTH) return text;
  return `${text.slice(0, MAX_ECHOED_LENGTH - END - 1)}…${text.slice(-END)}`;
}
