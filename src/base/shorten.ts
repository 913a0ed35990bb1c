/** Shortens texts and values that repeat a client's input. */
import { MAX_ECHOED_LENGTH, MAX_ECHOED_VALUE_LENGTH } from './limits/http.ts';
import type { Wording } from './sentence.ts';

/** A sentence loses its template if it is too long. */
export function withinLimit(wording: Wording): Wording {
  const text = String(wording);
  return text.length <= MAX_ECHOED_LENGTH ? wording : shorten(text);
}

/** Shortens a text that may repeat a client's input to its beginning and end. */
export function shorten(text: string, length = MAX_ECHOED_LENGTH): string {
  if (text.length <= length) return text;
  const end = Math.floor(length / 5);
  return `${text.slice(0, length - end - 1)}…${text.slice(-end)}`;
}

/** A value of a body as it is, if it is short; otherwise its shortened text. */
export function shortenValue(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= MAX_ECHOED_VALUE_LENGTH ? value : shorten(text, MAX_ECHOED_VALUE_LENGTH);
}
