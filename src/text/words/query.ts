/** The text of a search as people type it: words, "a phrase", -word, or. */
import { defined } from '../../base/defined.ts';
import { ApiError } from '../../base/errors.ts';
import { isStopWord, type Language } from './languages.ts';
import { isCode, wordsOf } from './tokens.ts';

/** One or more words in a row. */
export interface Term {
  readonly words: readonly string[];
  readonly isNegated: boolean;
  /** Whether the words must follow each other, as written. */
  readonly isPhrase: boolean;
  /** A code or compound as a whole: a row may have it in place of all the words. */
  readonly whole?: string;
  /** The word that may be incomplete, if the term is the last one. */
  readonly beginning?: string;
}

/** Alternatives, each a list of terms that a row must have. */
export interface WordQuery {
  readonly groups: readonly (readonly Term[])[];
  /** The last word, if it may be incomplete. */
  readonly prefix?: string;
}

export type SearchSyntax = 'web' | 'words' | 'phrase';

const MAX_QUERY_WORDS = 64;
/** Checked first: splitting a text of half a megabyte into words would delay other requests. */
const MAX_QUERY_LENGTH = 10_000;
const PIECE = /(-?)"([^"]*)"?|(\S+)/gu;
/** A shorter last word is not a prefix: too many words begin with it. */
const SHORTEST_PREFIX = 2;

export function parseWords(text: string, language: Language, syntax: SearchSyntax): WordQuery {
  if (text.length > MAX_QUERY_LENGTH) throw tooLong(MAX_QUERY_LENGTH, 'characters', text.length);
  const groups: Term[][] = [[]];
  const pieces = syntax === 'phrase' ? [['', '', text] as const] : [...text.matchAll(PIECE)];
  let isAfterWord = true;
  for (const [nth, [, sign = '', quoted, bare = '']] of pieces.entries()) {
    const isWeb = syntax === 'web';
    // At an end, it is a word: gold in French.
    const isBetween = nth > 0 && nth < pieces.length - 1;
    if (isWeb && isBetween && quoted === undefined && /^or$/i.test(bare)) {
      groups.push([]);
      continue;
    }
    // In `Schuhregale & -schränke` the sign stands for a part of the word before.
    const isNegated = isWeb && isAfterWord && (sign === '-' || /^-[^-]/.test(bare));
    const terms = termsOf(quoted ?? bare, isNegated, quoted !== undefined && syntax !== 'words');
    isAfterWord = terms.some((term) => !isStopWord(language, term.words[0]!));
    groups.at(-1)!.push(...terms);
  }
  const kept = groups.map((terms) => withoutStopWords(terms, language)).filter((terms) => terms.length > 0);
  const count = kept.flat().reduce((sum, { words }) => sum + words.length, 0);
  if (count > MAX_QUERY_WORDS) throw tooLong(MAX_QUERY_WORDS, 'words', count);
  const prefix = kept.at(-1)?.at(-1)?.beginning;
  const endsWithWord = /[\p{L}\p{N}\p{M}]\s*[.?!]*\s*$/u.test(text);
  return prefix === undefined || !endsWithWord || prefix.length < SHORTEST_PREFIX
    ? { groups: kept }
    : { groups: kept, prefix };
}

function tooLong(most: number, of: 'words' | 'characters', count: number): ApiError {
  return new ApiError('54000', `a search may have ${most} ${of}, not ${count}`, { hint: 'Search for fewer words.' });
}

/** The words of a piece. Those of a compound or a code belong together. */
function termsOf(text: string, isNegated: boolean, isPhrase: boolean): Term[] {
  const all = wordsOf(text);
  const words = all.filter(({ parts }) => parts === undefined).map((word) => word.text);
  if (words.length === 0) return [];
  const whole = all.find(({ parts }) => parts === words.length)?.text;
  if (isPhrase || isNegated || whole !== undefined) {
    // A row may have the parts of a compound anywhere, but not those of a code.
    const isCompound = whole !== undefined && !isCode(whole) && !isNegated;
    const term = { words, isNegated, isPhrase: isPhrase || (words.length > 1 && !isCompound) };
    return [{ ...term, ...defined({ whole, beginning: isPhrase || isNegated ? undefined : whole }) }];
  }
  return words.map((word) => ({ words: [word], isNegated, isPhrase: false, beginning: word }));
}

/** Without stop words, unless there is nothing else. A phrase keeps them. */
function withoutStopWords(terms: readonly Term[], language: Language): readonly Term[] {
  const isKept = ({ words, isPhrase }: Term) => isPhrase || !words.every((word) => isStopWord(language, word));
  return terms.some((term) => !term.isNegated && isKept(term)) ? terms.filter(isKept) : terms;
}
