/** date: a day in the years 1 to 9999, or infinity. Its text sorts like its value. */
import type { Value } from '../../value.ts';
import { rejectSyntax } from '../reject.ts';
import { defineType, PLAIN_TEXT } from '../type.ts';
import { FIXED_WORDS, printDay, readMoment } from './date-time-text.ts';
import { movingDay, movingWord, UTC } from './moving-moment.ts';

function read(text: string): string {
  const word = FIXED_WORDS.get(text.trim().toLowerCase());
  if (word !== undefined) return word === 'epoch' ? printDay(0)! : word;
  // A time after the date is parsed and ignored.
  const { day } = readMoment(text, 'date');
  return day === undefined ? rejectSyntax('date', text, '22007') : printDay(day)!;
}

function store(text: string): Value {
  const word = movingWord(text);
  return word === undefined ? read(text) : printDay(movingDay({ word, zone: UTC }, Date.now()))!;
}

export const date = defineType({
  name: 'date',
  read,
  store,
  casts: { timestamp: String, timestamptz: String },
  aggregates: { max: 'date', min: 'date' },
  generated: { now: () => store('now') },
  moving: (moving, at) => printDay(movingDay(moving, at))!,
  sqlite: PLAIN_TEXT,
  postgres: { name: 'date', plain: (sql) => `(${sql})::text` },
  schema: { type: 'string', format: 'date', examples: ['2024-12-31'] },
  input: 'date',
});
