/**
 * Dates and times in ISO style, as PostgreSQL reads them: year first, `T` or a space before the time, an offset or Z
 * after it. Other styles, such as month names, are rejected on both engines because their meaning depends on settings.
 */
import { ApiError } from '../../../base/errors.ts';
import { say } from '../../../base/sentence.ts';
import { rejectSyntax } from '../reject.ts';

/** The parts that a text contains. */
export interface Moment {
  /** Days since 1970-01-01. */
  readonly day?: number;
  /** Microseconds since midnight, up to 24 hours. */
  readonly micros?: number;
  /** The zone's offset in seconds east of UTC. */
  readonly offset?: number;
}

const DATE = String.raw`(?:(\d{4,})([-/.])(\d{1,2})\2(\d{1,2})|(\d{4})(\d{2})(\d{2}))(?!\d)`;
const TIME = String.raw`(?:(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?|(\d{2})(\d{2})(?:(\d{2})(?:\.(\d*))?)?)(?!\d)`;
const ZONE = String.raw`\s*(?:(z|utc|gmt)|([+-])(\d{1,2})(?::?(\d{2})(?::(\d{2}))?)?)`;
const DATE_FIRST = new RegExp(`^\\s*${DATE}(?:(?:\\s*t\\s*|\\s+)${TIME})?(?:${ZONE})?\\s*$`, 'i');
const TIME_ALONE = new RegExp(`^\\s*t?\\s*${TIME}(?:${ZONE})?\\s*$`, 'i');
/** Day or month first, or an unseparated run of digits. */
const OTHER_DATE = /^\s*(?:\d{1,2}([-/.])\d{1,2}\1\d{1,4}(?!\d)|\d{5,}\s*$)/;
/** No valid text is longer; a longer one is rejected without parsing. */
const MAX_LENGTH = 200;

export function readMoment(text: string, title: string): Moment {
  const dated = text.length > MAX_LENGTH ? null : DATE_FIRST.exec(text);
  if (dated !== null) {
    const [, year, , month, day, compactYear, compactMonth, compactDay, ...rest] = dated;
    return {
      day: dayNumber(Number(year ?? compactYear), Number(month ?? compactMonth), Number(day ?? compactDay), text),
      ...timeOf(rest, text),
    };
  }
  const timed = text.length > MAX_LENGTH ? null : TIME_ALONE.exec(text);
  if (timed !== null) return timeOf(timed.slice(1), text);
  if (OTHER_DATE.test(text)) throw outOfRange(text, 'Write a date with the year first: 2024-12-31.');
  return rejectSyntax(title, text, '22007');
}

function dayNumber(year: number, month: number, day: number, text: string): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isThere = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isThere || year < 1 || year > 9999) throw outOfRange(text);
  return date.getTime() / MS_PER_DAY;
}

function timeOf(parts: readonly (string | undefined)[], text: string): Omit<Moment, 'day'> {
  const [hour, minute, second, fraction, compactHour, compactMinute, compactSecond, compactFraction, ...zone] = parts;
  const offset = offsetOf(zone, text);
  const at = { ...(offset === undefined ? {} : { offset }) };
  if ((hour ?? compactHour) === undefined) return at;
  const hours = Number(hour ?? compactHour);
  const minutes = Number(minute ?? compactMinute);
  const seconds = Number(second ?? compactSecond ?? 0);
  const micros = microsOf(fraction ?? compactFraction ?? '');
  const total = ((hours * 60 + minutes) * 60 + seconds) * 1e6 + micros;
  const isBad = minutes > 59 || seconds > 60 || (seconds === 60 && micros > 0) || (hours >= 24 && total > DAY_MICROS);
  if (isBad || total > DAY_MICROS) throw outOfRange(text);
  return { ...at, micros: total };
}

export const DAY_MICROS = 86_400e6;
const MS_PER_DAY = 86_400_000;
/** The largest offset of a zone. */
const MAX_OFFSET_HOURS = 15;

/** The nearest microsecond, ties to even, as PostgreSQL rounds a double. */
function microsOf(fraction: string): number {
  if (fraction.length <= 6) return Number(fraction.padEnd(6, '0'));
  const exact = Number(`0.${fraction}`) * 1e6;
  const floor = Math.floor(exact);
  return exact - floor === 0.5 ? floor + (floor % 2) : Math.round(exact);
}

function offsetOf([utc, sign, hours, minutes = '0', seconds = '0']: readonly (string | undefined)[], text: string) {
  if (utc !== undefined) return 0;
  if (hours === undefined) return undefined;
  if (Number(hours) > MAX_OFFSET_HOURS || Number(minutes) > 59 || Number(seconds) > 59) {
    throw new ApiError('22009', say`time zone displacement out of range: "${text}"`);
  }
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return sign === '-' ? -offset : offset;
}

function outOfRange(text: string, hint?: string): ApiError {
  return new ApiError('22008', say`date/time field value out of range: "${text}"`, { hint });
}

/** `2024-12-31`; undefined outside the years 1 to 9999. */
export function printDay(day: number): string | undefined {
  const date = new Date(day * MS_PER_DAY);
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString().slice(0, 10) : undefined;
}

/** `22:34:01.5`, without trailing zeros. */
export function printTime(micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const part = (value: number) => String(value).padStart(2, '0');
  const time = `${part(Math.floor(seconds / 3600))}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}`;
  const fraction = micros % 1e6;
  return fraction === 0 ? time : `${time}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}

export const FIXED_WORDS: ReadonlyMap<string, 'infinity' | '-infinity' | 'epoch'> = new Map([
  ['infinity', 'infinity'],
  ['+infinity', 'infinity'],
  ['-infinity', '-infinity'],
  ['epoch', 'epoch'],
]);
