/** The prefix of a regular expression: a director (`***=`, `***:`) and embedded options (`(?i)`). */
import { say } from '../../base/sentence.ts';
import type { Scanner } from '../scanner.ts';
import { invalid, Unsupported } from './problems.ts';

export interface Options {
  readonly caseless: boolean;
  /** The rest is plain text. */
  readonly literal: boolean;
  /** White space and comments in the pattern are ignored. */
  readonly expanded: boolean;
  /** `.` and `[^…]` do not match a newline. */
  readonly newlineStops: boolean;
  /** `^` and `$` also match around a newline. */
  readonly newlineAnchors: boolean;
}

const LETTERS: Readonly<Record<string, Partial<Options>>> = {
  c: { caseless: false },
  i: { caseless: true },
  m: { newlineStops: true, newlineAnchors: true },
  n: { newlineStops: true, newlineAnchors: true },
  p: { newlineStops: true, newlineAnchors: false },
  q: { literal: true },
  s: { newlineStops: false, newlineAnchors: false },
  t: { expanded: false },
  w: { newlineStops: false, newlineAnchors: true },
  x: { expanded: true },
};

export function readOptions(pattern: Scanner, caseless: boolean): Options {
  let options: Options = {
    caseless,
    literal: false,
    expanded: false,
    newlineStops: false,
    newlineAnchors: false,
  };
  if (pattern.take('***')) {
    if (pattern.take('=')) return { ...options, literal: true };
    if (!pattern.take(':')) throw invalid(pattern.sees('?') ? 'version' : 'operand');
  }
  if (!pattern.sees(/\(\?[a-z]/iy)) return options;
  pattern.take('(?');
  for (const letter of pattern.takeWhile(/[a-z]+/iy)) {
    if (letter === 'b' || letter === 'e') {
      throw new Unsupported(
        say`embedded option ${letter} (basic or extended syntax)`,
        'Leave it out: advanced syntax is used.',
      );
    }
    const change = LETTERS[letter];
    if (!change) throw invalid('option', `The options are ${Object.keys(LETTERS).join(', ')}.`);
    options = { ...options, ...change };
  }
  if (!pattern.take(')')) throw invalid('option');
  return options;
}
