/** Dates and times in the reader's format. The browser's formatter is created on first use. */

import { memoize } from '../../../base/memo.ts';
import type { Field } from '../../../collection/declaration.ts';
import type { Pair } from '../api/query/list.ts';
import { locale } from '../i18n/locale.ts';

const DAY: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeZone: 'UTC' };
const TIME: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' };
/** Points in time, which are shown in the reader's time zone. */
const MOMENT: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };
const formatter = memoize((options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));

/** Types with a time: points in time use the reader's time zone, others are shown as stored. */
const isMoment = memoize((type: Field['type']) =>
  /[+-]\d\d(:?\d\d)?$/.test(type.print(type.read('2000-01-01T00:00:00+00'))),
);

const WITH_ZONE = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.\d+)?([+-]\d\d(:?\d\d)?|Z)$/;

/** A stored time for the browser's input; undefined if it does not fit. */
export function editableTime({ type }: Field, text: string): string | undefined {
  if (type.input !== 'datetime') return undefined;
  if (!WITH_ZONE.test(text)) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : localText(date);
}

/** A time in the reader's time zone: `2026-11-17T08:30:00`. */
function localText(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().replace(/(\.000)?Z$/, '');
}

/** The day of a time in the reader's time zone: `2026-11-17`. */
export const dayOf = (time: Date): string => localText(time).slice(0, 10);

/** A day, some days later. */
export function nextDay(day: string, days: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return dayOf(new Date(year, month - 1, date + days));
}

/** Selects the changes of a day. A day may have 23 or 25 hours. */
export function dayFilters(day: string): readonly Pair[] {
  const start = (each: string) => new Date(`${each}T00:00:00`).toISOString();
  return [
    ['at', `gte.${start(day)}`],
    ['at', `lt.${start(nextDay(day, 1))}`],
  ];
}

/** The value of the browser's input. A point in time gets the reader's time zone. */
export function readTime({ type }: Field, text: string): string {
  const isLocal = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text);
  if (type.input !== 'datetime' || !isLocal || !isMoment(type)) return text;
  const date = new Date(text.replace(' ', 'T'));
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}

/** The type of the input. Values beyond the browser's date input (infinity, 44 BC) use text. */
export function dateInputOf({ type: { input } }: Field, text: string): 'date' | 'time' | 'datetime-local' | 'text' {
  if (input === 'date') return fits(/^\d{4}-\d\d-\d\d$/, text, 'date');
  if (input === 'time') return fits(/^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/, text, 'time');
  if (input === 'datetime') return fits(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/, text, 'datetime-local');
  return 'text';
}

function fits<Kind>(form: RegExp, text: string, kind: Kind): Kind | 'text' {
  return text === '' || form.test(text) ? kind : 'text';
}

/** Formats a date. Unusual values (`infinity`, 44 BC) are shown as stored. */
export function formatDate({ type: { input } }: Field, text: string): string {
  if ((input !== 'date' && input !== 'datetime') || !/^\d{4}-\d\d-\d\d/.test(text)) return text;
  const hasZone = /[+-]\d\d(:?\d\d)?$|Z$/.test(text.slice(10));
  const date = new Date(input === 'date' || hasZone ? text : `${text}Z`);
  if (Number.isNaN(date.getTime())) return text;
  return formatter(input === 'date' ? DAY : hasZone ? MOMENT : TIME).format(date);
}

/** Formats a point in time, such as that of a change. */
export const formatMoment = (text: string): string => formatter(MOMENT).format(new Date(text));
