/** Reads dates by a pattern, such as `MMM d yyyy`, and prints them in the form of the field types. */
import { ApiError, unlessRejected } from '../base/errors.ts';
import type { Type } from '../collection/types/type.ts';
import { ConfigError } from '../settings/setting.ts';
import { fullYear } from './dates.ts';

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

/** The letters of a pattern, with what each matches for the number of its repetitions. */
const LETTERS: Readonly<Record<string, (count: number) => string | undefined>> = {
  y: (count) => ({ 1: '\\d{4}', 2: '\\d{2}', 4: '\\d{4}' })[count],
  M: (count) => (count > 4 ? undefined : count > 2 ? '[a-z]{3,9}\\.?' : '\\d{1,2}'),
  d: twoDigits('\\d{1,2}'),
  H: twoDigits('(?:[01]?\\d|2[0-3])'),
  m: twoDigits('[0-5]?\\d'),
  s: twoDigits('[0-5]?\\d'),
};

function twoDigits(source: string): (count: number) => string | undefined {
  return (count) => (count > 2 ? undefined : source);
}

const RULES = 'Use y, M, d, H, m and s, such as "MMM d yyyy" or "dd.MM.yyyy HH:mm", and quotes around other letters';

/** Converts a cell, or throws an error that names the cell. */
export type DateReader = (cell: string, type: Type) => string;

/** The types whose cells a pattern describes. */
export function isDated({ name }: Type): boolean {
  return ['date', 'timestamp', 'timestamptz'].includes(name);
}

export function readDateFormat(pattern: string, name: string): DateReader {
  const expression = expressionOf(pattern, name);
  return (cell, type) => {
    const parts = expression.exec(cell.trim())?.groups;
    const text = parts && isoText(parts, type);
    if (text !== undefined) return text;
    throw new ApiError('22007', `"${cell}" is not a ${type.name} in the format ${pattern}`);
  };
}

/** A group for each letter. Spaces match any number of spaces. */
function expressionOf(pattern: string, name: string): RegExp {
  const letters: string[] = [];
  const source = pattern.trim().replaceAll(/([a-z])\1*|'([^']*)'|\s+|[^a-z\s]/gi, (part, letter, quoted) => {
    if (letter === undefined) return /^\s/.test(part) ? '\\s+' : RegExp.escape(quoted ?? part);
    const matched = LETTERS[letter]?.(part.length);
    if (matched === undefined || letters.includes(letter)) {
      throw new ConfigError(`${name}: '${part}' in "${pattern}" is ${matched ? 'repeated' : 'not known'}. ${RULES}`);
    }
    letters.push(letter);
    return `(?<${letter}>${matched})`;
  });
  const missing = ['y', 'M', 'd'].find((letter) => !letters.includes(letter));
  if (missing !== undefined) throw new ConfigError(`${name}: "${pattern}" has no ${missing}. ${RULES}`);
  return new RegExp(`^${source}$`, 'i');
}

/** The text form of the type; undefined if the date does not exist. */
function isoText(parts: Readonly<Record<string, string | undefined>>, type: Type): string | undefined {
  const { y = '', M = '', d, H = '0', m = '0', s = '0' } = parts;
  const month = /^\d/.test(M) ? M : monthNamed(M);
  return unlessRejected(() => String(type.read(`${fullYear(y)}-${month}-${d} ${H}:${m}:${s}`)));
}

/** From 1; 0 if no month has the name. `Sept.` is a month as well. */
function monthNamed(text: string): number {
  return 1 + MONTHS.findIndex((month) => month.startsWith(text.toLowerCase().replace('.', '')));
}
