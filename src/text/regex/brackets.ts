/** Bracket expressions: `[a-z]`, `[^[:space:]]`, `[]x-]`, turned into RE2's classes. */
import type { Scanner } from '../scanner.ts';
import { readEscape } from './escapes.ts';
import { invalid } from './problems.ts';

const LAST_CODE_POINT = 0x10ffff;
const RANGE = /-(?!\])/y;

/** PostgreSQL's class names, as RE2 spells the same sets (text is compared by code point, so the classes are ASCII). */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ...'alnum alpha ascii blank digit graph lower print punct space upper word xdigit'
    .split(' ')
    .map((name) => [name, `[:${name}:]`] as const),
  // The one class that PostgreSQL does not leave to the locale.
  ['cntrl', '\\x00-\\x1f\\x7f-\\x9f'],
]);

/** One item: a character, which may start a range, or the RE2 source of a class. */
type Item = number | string;

/** Reads a bracket expression whose `[` is already taken. */
export function readBrackets(pattern: Scanner, newlineStops: boolean): string {
  const negated = pattern.take('^');
  let source = '';
  let first = true;
  while (first || !pattern.sees(']')) {
    // Only at the start or the end is a hyphen a character.
    if (!first && pattern.sees(RANGE)) throw invalid('range');
    const from = readItem(pattern);
    first = false;
    if (typeof from === 'string') source += from;
    else if (pattern.sees(RANGE)) {
      pattern.next();
      source += range(from, readItem(pattern));
    } else source += range(from, from);
  }
  pattern.next();
  if (negated) return `[^${source}${newlineStops ? '\\n' : ''}]`;
  // Only characters that no text can hold: a class that matches nothing.
  return source === '' ? `[^\\x00-${codePointSource(LAST_CODE_POINT)}]` : `[${source}]`;
}

/** A character outside brackets. */
export function characterSource(codePoint: number): string {
  if (codePoint > LAST_CODE_POINT) return `[^\\x00-${codePointSource(LAST_CODE_POINT)}]`;
  return codePointSource(codePoint);
}

function readItem(pattern: Scanner): Item {
  if (pattern.atEnd) throw invalid('brackets');
  const character = pattern.next();
  if (character === '[' && pattern.atEnd) throw invalid('brackets');
  if (character === '[' && ['.', '=', ':'].includes(pattern.peek())) return readNamed(pattern, pattern.next());
  if (character !== '\\') return character.codePointAt(0)!;
  const escaped = readEscape(pattern, 0);
  if (escaped.kind === 'character') return escaped.codePoint;
  if (escaped.kind === 'class') return escaped.source;
  throw invalid('escape');
}

/** `[:class:]`, `[.element.]` or `[=equivalents=]`; in the "C" collation a character is equivalent to itself only. */
function readNamed(pattern: Scanner, mark: string): Item {
  let name = '';
  while (!pattern.sees(`${mark}]`)) {
    if (pattern.atEnd) throw invalid('brackets');
    name += pattern.next();
  }
  pattern.take(`${mark}]`);
  if (mark === ':') {
    const source = CLASSES.get(name);
    if (!source) throw invalid('class', `The classes are ${[...CLASSES.keys()].join(', ')}.`);
    return source;
  }
  const codePoint = name.codePointAt(0) ?? 0;
  if (name !== String.fromCodePoint(codePoint)) throw invalid('collation');
  return mark === '=' ? range(codePoint, codePoint) : codePoint;
}

function range(from: number, to: Item): string {
  if (typeof to === 'string' || from > to) throw invalid('range');
  if (from > LAST_CODE_POINT) return '';
  return `${codePointSource(from)}-${codePointSource(Math.min(to, LAST_CODE_POINT))}`;
}

function codePointSource(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}
