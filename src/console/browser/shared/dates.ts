/** Dates and times as the reader writes them. The browser's formatter is asked when there is one to show. */
import type { Field } from '../../../collection/declaration.ts';
import { oncePer } from '../../../once-per.ts';

const DAY: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeZone: 'UTC' };
const TIME: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' };
/** A moment, which is shown at the reader's own time. */
const MOMENT: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };
const formatter = oncePer(
  (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(navigator.language, options),
);

/** Anything that is no date of the usual kind (`infinity`, 44 BC) is shown as it is. */
export function formatDate({ type: { input } }: Field, text: string): string {
  if ((input !== 'date' && input !== 'datetime') || !/^\d{4}-\d\d-\d\d/.test(text)) return text;
  const isMoment = /[+-]\d\d(:?\d\d)?$|Z$/.test(text.slice(10));
  const date = new Date(input === 'date' || isMoment ? text : `${text}Z`);
  if (Number.isNaN(date.getTime())) return text;
  return formatter(input === 'date' ? DAY : isMoment ? MOMENT : TIME).format(date);
}
