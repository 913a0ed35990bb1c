import { MAX_ECHOED_LENGTH } from './limits/http.ts';

const END = 400;

/** Shortens a text that may repeat a client's input to its beginning and end. */
export function shorten(text: string): string {
  if (text.length <= MAX_ECHOED_LENGTH) return text;
  return `${text.slice(0, MAX_ECHOED_LENGTH - END - 1)}…${text.slice(-END)}`;
}
