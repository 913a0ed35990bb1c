/**
 * timestamp, without a zone, and timestamptz, a moment. Both are stored as their JSON text, a moment in UTC, which
 * sorts correctly. CSV and text use PostgreSQL's format with a space instead of the T.
 */
import { ApiError } from '../../../base/errors.ts';
import { say } from '../../../base/sentence.ts';
import type { Value } from '../../value.ts';
import { rejectSyntax } from '../reject.ts';
import { defineType, PLAIN_TEXT, type Type } from '../type.ts';
import { DAY_MICROS, FIXED_WORDS, type Moment, printDay, printTime, readMoment } from './date-time-text.ts';
import { movingMoment, movingWord, UTC } from './moving-moment.ts';

interface Zone {
  readonly name: 'timestamp' | 'timestamptz';
  readonly title: string;
  /** PostgreSQL's name in syntax errors. */
  readonly shortTitle: string;
  /** The ending in JSON and in text. */
  readonly suffix: string;
  readonly textSuffix: string;
  readonly schema: Type['schema'];
}

function timestampType({ name, title, shortTitle, suffix, textSuffix, schema }: Zone): Type {
  const other = name === 'timestamp' ? 'timestamptz' : 'timestamp';
  const print = ({ day = 0, micros = 0, offset = 0 }: Moment, text: string): string => {
    const total = micros - (suffix === '' ? 0 : offset * 1e6);
    const days = Math.floor(total / DAY_MICROS);
    const date = printDay(day + days);
    if (date === undefined) throw new ApiError('22008', say`timestamp out of range: "${text}"`);
    return `${date}T${printTime(total - days * DAY_MICROS)}${suffix}`;
  };
  const read = (text: string): string => {
    const word = FIXED_WORDS.get(text.trim().toLowerCase());
    if (word !== undefined) return word === 'epoch' ? print({}, text) : word;
    const moment = readMoment(text, shortTitle);
    return moment.day === undefined ? rejectSyntax(shortTitle, text, '22007') : print(moment, text);
  };
  const store = (text: string): Value => {
    const word = movingWord(text);
    return word === undefined ? read(text) : print(movingMoment({ word, zone: UTC }, Date.now()), text);
  };
  const asText = (value: Value) => String(value).replace('T', ' ').replace(suffix, textSuffix);
  return defineType({
    name,
    title,
    read,
    store,
    print: asText,
    json: (value) => JSON.stringify(value),
    casts: { date: asText, [other]: asText, time: (value) => (isInfinite(value) ? null : asText(value)) },
    aggregates: { max: name, min: name },
    generated: { now: () => store('now') },
    moving: (moving, at) => print(movingMoment(moving, at), moving.word),
    passedAt: (value) => Date.parse(`${value}${suffix === '' ? 'Z' : ''}`) + 1,
    sqlite: {
      ...PLAIN_TEXT,
      text: (sql) =>
        suffix === ''
          ? `replace(${sql}, 'T', ' ')`
          : `replace(replace(${sql}, 'T', ' '), '${suffix}', '${textSuffix}')`,
    },
    postgres: { name, plain: (sql) => `to_json(${sql}) #>> '{}'` },
    schema,
    input: 'datetime',
  });
}

function isInfinite(value: Value): boolean {
  return String(value).endsWith('infinity');
}

export const timestamp = timestampType({
  name: 'timestamp',
  title: 'timestamp without time zone',
  shortTitle: 'timestamp',
  suffix: '',
  textSuffix: '',
  schema: { type: 'string', examples: ['2024-12-31T09:30:00'] },
});
export const timestamptz = timestampType({
  name: 'timestamptz',
  title: 'timestamp with time zone',
  shortTitle: 'timestamp with time zone',
  suffix: '+00:00',
  textSuffix: '+00',
  schema: { type: 'string', format: 'date-time', examples: ['2024-12-31T09:30:00+00:00'] },
});
