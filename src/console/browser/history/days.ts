/** Days in the time zone of the reader, as filters of the log. */
import type { Pair } from '../api/query/list.ts';
import { dayOf } from '../fields/dates.ts';

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
