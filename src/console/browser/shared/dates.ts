/** Dates and times as the reader writes them. The browser's formatter is asked when there is one to show. */

import { oncePer } from '../../../base/memo.ts';
import type { Field } from '../../../collection/declaration.ts';

const DAY: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeZone: 'UTC' };
const TIME: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' };
/** A moment, which is shown at the reader's own time. */
const MOMENT: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };
const formatter = oncePer(
  (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(navigator.language, options),
);

/** The times of a type: moments are shown and entered at the reader's own time, others as they are. */
const isMoment = oncePer((type: Field['type']) =>
  /[+-]\d\d(:?\d\d)?$/.test(type.print(type.read('2000-01-01T00:00:00+00'))),
);

const WITH_ZONE = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d(:?\d\d)?|Z)$/;

/** A stored time, as the browser's input takes it; undefined where it has none. */
export function editableTime({ type }: Field, text: string): string | undefined {
  if (type.input !== 'datetime') return undefined;
  if (!WITH_ZONE.test(text)) return undefined;
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return undefined;
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().replace(/(\.000)?Z$/, '');
}

/** What the browser's input gave, with the zone that the reader is in, where it is a moment. */
export function readTime({ type }: Field, text: string): string {
  const isLocal = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text);
  if (type.input !== 'datetime' || !isLocal || !isMoment(type)) return text;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** The kind of input that can show it: the browser's own for dates and times, unless the value is beyond them (infinity, 44 BC). */
export function dateInputOf({ type: { input } }: Field, text: string): 'date' | 'time' | 'datetime-local' | 'text' {
  if (input === 'date') return fits(/^\d{4}-\d\d-\d\d$/, text, 'date');
  if (input === 'time') return fits(/^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/, text, 'time');
  if (input === 'datetime') return fits(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/, text, 'datetime-local');
  return 'text';
}

function fits<Kind>(form: RegExp, text: string, kind: Kind): Kind | 'text' {
  return text === '' || form.test(text) ? kind : 'text';
}

/** Anything that is no date of the usual kind (`infinity`, 44 BC) is shown as it is. */
export function formatDate({ type: { input } }: Field, text: string): string {
  if ((input !== 'date' && input !== 'datetime') || !/^\d{4}-\d\d-\d\d/.test(text)) return text;
  const hasZone = /[+-]\d\d(:?\d\d)?$|Z$/.test(text.slice(10));
  const date = new Date(input === 'date' || hasZone ? text : `${text}Z`);
  if (Number.isNaN(date.getTime())) return text;
  return formatter(input === 'date' ? DAY : hasZone ? MOMENT : TIME).format(date);
}
