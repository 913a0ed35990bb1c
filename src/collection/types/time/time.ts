/** time: a time of day with microseconds, up to 24:00:00. */
import type { Value } from '../../value.ts';
import { rejectSyntax } from '../reject.ts';
import { defineType, PLAIN_TEXT } from '../type.ts';
import { printTime, readMoment } from './date-time-text.ts';
import { movingMoment, UTC } from './moving-moment.ts';

const TITLE = 'time without time zone';
/** PostgreSQL's name in syntax errors. */
const SHORT_TITLE = 'time';

function read(text: string): string {
  if (text.trim().toLowerCase() === 'allballs') return printTime(0);
  // A date before the time and an offset after it are parsed and ignored.
  const { micros } = readMoment(text, SHORT_TITLE);
  return micros === undefined ? rejectSyntax(SHORT_TITLE, text, '22007') : printTime(micros);
}

function store(text: string): Value {
  return text.trim().toLowerCase() === 'now'
    ? printTime(movingMoment({ word: 'now', zone: UTC }, Date.now()).micros)
    : read(text);
}

export const time = defineType({
  name: 'time',
  title: TITLE,
  read,
  store,
  aggregates: { max: 'time', min: 'time' },
  generated: { now: () => store('now') },
  sqlite: PLAIN_TEXT,
  postgres: { name: 'time', plain: (sql) => `(${sql})::text` },
  schema: { type: 'string', examples: ['09:30:00'] },
  input: 'time',
});
