/** Escapes: a character by name or number, a class, a constraint or a back-reference. */
import type { Scanner } from '../scanner.ts';
import { invalid } from './problems.ts';

type Escape =
  | { readonly kind: 'character'; readonly codePoint: number }
  /** An RE2 class that is also valid inside brackets. */
  | { readonly kind: 'class'; readonly source: string }
  | { readonly kind: 'constraint'; readonly source: string }
  | { readonly kind: 'reference'; readonly group: number };

const HIGHEST_CHARACTER = 0x7ffffffe;

const CHARACTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  B: '\\',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const CLASSES: Readonly<Record<string, string>> = {
  d: '\\d',
  D: '\\D',
  // RE2's \s lacks the vertical tab.
  s: '[:space:]',
  S: '[:^space:]',
  w: '\\w',
  W: '\\W',
};

// RE2 has no start or end of a word. A boundary and the preceding character distinguish them.
export const WORD_START = '\\b(?<!\\w)';
export const WORD_END = '\\b(?<=\\w)';

const CONSTRAINTS: Readonly<Record<string, string>> = {
  A: '\\A',
  Z: '\\z',
  m: WORD_START,
  M: WORD_END,
  y: '\\b',
  Y: '\\B',
};

/** Reads the text after a backslash. `groups` is the number of capturing groups opened before it. */
export function readEscape(pattern: Scanner, groups: number): Escape {
  if (pattern.atEnd) throw invalid('escape');
  const letter = pattern.next();
  if (!/[a-z0-9]/i.test(letter)) return character(letter.codePointAt(0)!);
  if (CHARACTERS[letter]) return character(CHARACTERS[letter].codePointAt(0)!);
  if (CLASSES[letter]) return { kind: 'class', source: CLASSES[letter] };
  if (CONSTRAINTS[letter]) return { kind: 'constraint', source: CONSTRAINTS[letter] };
  if (letter === 'c' && !pattern.atEnd) return character(pattern.next().codePointAt(0)! & 0x1f);
  if (letter === 'x') return character(hexadecimal(pattern.takeWhile(/[0-9a-f]{1,255}/iy), 1));
  if (letter === 'u') return character(hexadecimal(pattern.takeWhile(/[0-9a-f]{1,4}/iy), 4));
  if (letter === 'U') return character(hexadecimal(pattern.takeWhile(/[0-9a-f]{1,8}/iy), 8));
  if (/[0-9]/.test(letter)) {
    pattern.position -= 1;
    return readNumber(pattern, groups);
  }
  throw invalid('escape', 'To match a letter itself, write it without the backslash.');
}

/** `\1` to `\9`, and more digits if there are as many groups, refer back; anything else is an octal character code. */
function readNumber(pattern: Scanner, groups: number): Escape {
  if (!pattern.sees('0')) {
    const digits = pattern.takeWhile(/[0-9]{1,255}/y);
    if (digits.length === 1 || Number(digits) <= groups) return { kind: 'reference', group: Number(digits) };
    pattern.position -= digits.length;
  }
  const octal = pattern.takeWhile(/[0-7]{1,3}/y);
  if (octal === '') throw invalid('escape');
  if (Number.parseInt(octal, 8) <= 0xff) return character(Number.parseInt(octal, 8));
  pattern.position -= 1;
  return character(Number.parseInt(octal.slice(0, 2), 8));
}

function hexadecimal(digits: string, least: number): number {
  if (digits.length < least) throw invalid('escape');
  const codePoint = Number.parseInt(digits, 16);
  if (codePoint > HIGHEST_CHARACTER) throw invalid('escape');
  return codePoint;
}

function character(codePoint: number): Escape {
  return { kind: 'character', codePoint };
}
