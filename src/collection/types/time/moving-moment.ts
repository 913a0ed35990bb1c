/** Words for moments that depend on the current time, as PostgreSQL reads them: `now`, `today` and their neighbours. */
import type { Moment } from './date-time-text.ts';

const DAYS_FROM_TODAY = { now: 0, today: 0, tomorrow: 1, yesterday: -1 } as const;

type MovingWord = keyof typeof DAYS_FROM_TODAY;
export const MOVING_WORDS = Object.keys(DAYS_FROM_TODAY) as readonly MovingWord[];

/** A value that changes with time. Days begin at midnight in the zone. */
export interface Moving {
  readonly word: MovingWord;
  readonly zone: string;
}

export const UTC = 'UTC';
const MS_PER_DAY = 86_400_000;

export function movingWord(text: string): MovingWord | undefined {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(DAYS_FROM_TODAY, word) ? (word as MovingWord) : undefined;
}

/** The day that a word means at a time in milliseconds. */
export function movingDay({ word, zone }: Moving, at: number): number {
  return Math.floor((at + offsetAt(zone, at)) / MS_PER_DAY) + DAYS_FROM_TODAY[word];
}

/** The moment that a word means. `now` is in UTC, like the times that the service stores. */
export function movingMoment(moving: Moving, at: number): Required<Moment> {
  if (moving.word === 'now') {
    const day = Math.floor(at / MS_PER_DAY);
    return { day, micros: (at - day * MS_PER_DAY) * 1000, offset: 0 };
  }
  const day = movingDay(moving, at);
  return { day, micros: 0, offset: (day * MS_PER_DAY - midnight(moving.zone, day)) / 1000 };
}

/** The next time at which another day begins. */
export function nextMidnight(zone: string, at: number): number {
  return midnight(zone, movingDay({ word: 'tomorrow', zone }, at));
}

/** The offset at midnight may differ from that of the day before, so it is looked up twice. */
function midnight(zone: string, day: number): number {
  const inUtc = day * MS_PER_DAY;
  const near = inUtc - offsetAt(zone, inUtc);
  return inUtc - offsetAt(zone, near);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The milliseconds by which a zone is ahead of UTC. Throws a RangeError for an unknown zone. */
function offsetAt(zone: string, at: number): number {
  if (zone === UTC) return 0;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? [];
  const ahead = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ahead : ahead;
}
