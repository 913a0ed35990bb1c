/** Turns words into lexemes with positions, as a text search configuration defines. */
import { ApiError } from '../../base/errors.ts';
import { memoizeText } from '../../base/memo.ts';
import { lowerCase } from '../case.ts';
import { startOfWords, stemEnglish } from './english.ts';
import { type Spend, type Token, tokenize } from './tokens.ts';

/** Words too common to search for: PostgreSQL's list for English. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `
  i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
  it its itself they them their theirs themselves what which who whom this that these those am is are was were be
  been being have has had having do does did doing a an the and but if or because as until while of at by for with
  about against between into through during before after above below to from up down in out on off over under again
  further then once here there when where why how all any both each few more most other some such no nor not only
  own same so than too very s t can will just don should now
  `
    .trim()
    .split(/\s+/),
);

export interface Lexeme {
  readonly text: string;
  readonly position: number;
}

/** Converts a token to a lexeme; null for a stop word. */
type Dictionary = (token: Token) => string | null;

interface Configuration {
  readonly lexemeOf: Dictionary;
  /** The common prefix of all tokens with this lexeme, in lower case. */
  readonly startOfTokens: (lexeme: string) => string;
}

const CONFIGURATIONS: ReadonlyMap<string, Configuration> = new Map<string, Configuration>([
  [
    'english',
    {
      lexemeOf: ({ text, word }) => (word ? englishWord(lowerCase(text)) : lowerCase(text)),
      startOfTokens: startOfWords,
    },
  ],
  ['simple', { lexemeOf: ({ text }) => lowerCase(text), startOfTokens: (lexeme) => lexeme }],
]);

/** PostgreSQL does not index longer words. */
const LONGEST_WORD_BYTES = 2047;

export type Reader = (text: string) => Iterable<Lexeme>;

export function readerFor(configuration: string, spend: Spend = () => {}): Reader {
  const { lexemeOf } = configurationNamed(configuration);
  return (text) => read(text, lexemeOf, spend);
}

export function configurationNamed(name: string): Configuration {
  // Configuration names are identifiers: case does not matter, and a schema may precede them.
  const configuration = CONFIGURATIONS.get(name.toLowerCase().replace(/^pg_catalog\./, ''));
  if (configuration !== undefined) return configuration;
  throw new ApiError('42704', `text search configuration "${name}" does not exist`, {
    hint: `The configurations are ${[...CONFIGURATIONS.keys()].join(' and ')}.`,
  });
}

/** Stop words are dropped but keep their position, since phrases count them. */
function* read(text: string, dictionary: Dictionary, spend: Spend): Generator<Lexeme> {
  let position = 0;
  for (const token of tokenize(text, spend)) {
    if (token.text.length * 3 > LONGEST_WORD_BYTES && new TextEncoder().encode(token.text).length > LONGEST_WORD_BYTES)
      continue;
    position += 1;
    const lexeme = dictionary(token);
    if (lexeme !== null) yield { text: lexeme, position };
  }
}

/** Cached, since the same words recur in many rows. */
const MAX_CACHED = 20_000;
const LONGEST_CACHED = 40;
const englishWord = memoizeText(
  (word): string | null => (ENGLISH_STOP_WORDS.has(word) ? null : stemEnglish(word)),
  MAX_CACHED,
  LONGEST_CACHED,
);
