/** A rate of requests. The console contains it, so it has no API of the runtime. */

import { say } from '../sentence.ts';

export interface Rate {
  /** Requests per period, also the burst size. */
  readonly count: number;
  readonly seconds: number;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
const MOST = 1_000_000;
export const RATE_FORM = say`a rate from 1 to ${MOST}, such as 100/s, 600/m or 5000/h`;

/** Parses a rate; see RATE_FORM. Returns undefined for other texts. */
export function parseRate(text: string): Rate | undefined {
  const match = /^(\d{1,7})\/([smh])$/.exec(text.trim());
  const count = Number(match?.[1]);
  return match === null || count < 1 || count > MOST ? undefined : { count, seconds: UNIT_SECONDS[match[2]!]! };
}
