/**
 * Splits a text into words like PostgreSQL's default text search parser.
 *
 * A hyphenated word yields the whole and its parts; a URL yields the whole, its host and its path. Apostrophes
 * separate. Markup and protocols are skipped. The parser tries the alternatives in the order of the list. Repetitions
 * that look far ahead are bounded, so that no text takes quadratic time.
 */
import { lazy } from '../../base/memo.ts';

export interface Token {
  readonly text: string;
  /** Whether it has only letters, and therefore a stem. */
  readonly word: boolean;
}

/** Letters of any script; digits other than ASCII's count among them. */
const LETTER = '[[\\p{Alphabetic}\\p{Nd}]--[0-9]]';
const LETTER_OR_MARK = `[\\p{M}${LETTER}]`;
const INSIDE_WORD = '[\\p{Alphabetic}\\p{Nd}\\p{M}]';
const NUMBERED_WORD = `(?:${LETTER}${LETTER_OR_MARK}*[0-9]|[0-9]+${LETTER_OR_MARK})${INSIDE_WORD}*`;
/** A word, possibly with digits, but not digits alone. */
const PART = `(?:${LETTER}|[0-9]+${LETTER_OR_MARK})${INSIDE_WORD}*`;

const COMMENT = '<!--[\\s\\S]{0,2000}?-->';
const ATTRIBUTES = '(?:[A-Za-z0-9=\\-_#\\/:.&?%~\\s]|\'[^\']{0,500}\'|"[^"]{0,500}"){0,500}';
const TAG = `<(?:\\/?[A-Za-z]|[:_]|\\?x|![Dd])${ATTRIBUTES}>`;
const ENTITY = '&(?:#[0-9]{1,20}|#[xX][0-9A-Fa-f]{1,20}|[A-Za-z:_][A-Za-z0-9:_.\\-]{0,100});';
const PROTOCOL = '[A-Za-z]+:\\/\\/';

const NAME = '[A-Za-z0-9]+(?:[._\\-][A-Za-z0-9]+){0,30}';
const HOST = `${NAME}\\.[A-Za-z]{2,}(?![A-Za-z0-9])(?::[0-9]+)?`;
const URL_CHARACTER = '[[!-~]--["<>\\\\\\^`\\{\\|\\}]]';

const FILE_START = '(?=[A-Za-z0-9_]|\\.{1,2}[A-Za-z0-9_\\/]|~[A-Za-z0-9_\\/])';
const FILE_STEP = `(?:[A-Za-z0-9_\\-]|\\.(?=[A-Za-z0-9_])|\\/${FILE_START})`;
const FILE_FROM_WORD = `(?:[A-Za-z]+|${NUMBERED_WORD})(?:\\.(?=[A-Za-z0-9_])|\\/${FILE_START})`;
/** Only at the start or right after a word; elsewhere the mark is punctuation. */
const FILE_FROM_MARK = `(?<=^|${INSIDE_WORD}|[>;_\\/])(?:(?:~\\/?|\\.{1,2}\\/)(?=[A-Za-z0-9_])|\\.\\.(?=[\\s\\/]|$))`;

const SCIENTIFIC = '[+\\-]?[0-9]+(?:\\.[0-9]+)?[eE][+\\-]?[0-9]+';
const SIGNED = '[+\\-][0-9]+(?:\\.[0-9]+)?(?![0-9]|\\.[0-9])';
/** A decimal with one point, a version with several points, or digits without a word after them. */
const UNSIGNED = `[0-9]+(?:\\.[0-9]+){1,500}|[0-9]+(?!${INSIDE_WORD})`;

const token = lazy(
  () =>
    new RegExp(
      [
        COMMENT,
        TAG,
        ENTITY,
        PROTOCOL,
        `(?<scientific>${SCIENTIFIC})`,
        `(?<email>${NAME}@${HOST})`,
        `(?<host>${HOST})(?<path>\\/${URL_CHARACTER}+)?`,
        `(?<file>(?:${FILE_FROM_WORD}|${FILE_FROM_MARK}|[0-9]*\\/${FILE_START})${FILE_STEP}{0,2000})`,
        `(?<number>${SIGNED}|${UNSIGNED})`,
        // A hyphen after a compound is never the sign of a number.
        `(?<compound>${PART}(?:-${PART}){1,500})(?:-(?=[0-9]))?`,
        `(?<part>${PART})`,
      ].join('|'),
      'gv',
    ),
);

/** Most texts have none of these, and then only plain words. */
const NOT_PLAIN = /[0-9./@<&:~-]/;
const plainWord = lazy(() => new RegExp(PART, 'gv'));

/** Charges a number of steps before they run. It may throw to stop. */
export type Spend = (steps: number) => void;

/** Tokenizing a character costs several times as much as comparing one. */
const STEPS_A_CHARACTER = 4;

export function tokenize(text: string, spend: Spend): Iterable<Token> {
  spend(text.length * STEPS_A_CHARACTER);
  return NOT_PLAIN.test(text) ? tokensOf(text.matchAll(token())) : (text.match(plainWord()) ?? []).map(wordToken);
}

function* tokensOf(found: Iterable<RegExpExecArray>): Generator<Token> {
  for (const { groups } of found) {
    const { scientific, email, host, path, file, number, compound, part } = groups!;
    if (host !== undefined && path !== undefined) {
      yield { text: host + path, word: false };
      yield { text: host, word: false };
      yield { text: path, word: false };
    } else if (compound !== undefined) {
      yield wordToken(compound);
      yield* compound.split('-').map(wordToken);
    } else if (part !== undefined) yield wordToken(part);
    else {
      const other = scientific ?? email ?? host ?? file ?? number;
      if (other !== undefined) yield { text: other, word: false };
    }
  }
}

function wordToken(text: string): Token {
  return { text, word: !/[0-9]/.test(text) };
}
