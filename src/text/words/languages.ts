/**
 * The languages of the declared search: stems and stop words. English has the Snowball stemmer. The others have light
 * stemmers, which remove endings of number, gender and case (J. Savoy, "Light stemming approaches for the French,
 * Portuguese, German and Hungarian languages", 2006). They work on folded words, so accents never make a difference.
 */
import { memoizeText } from '../../base/memo.ts';
import { stemEnglish } from '../search/english.ts';
import { ENGLISH_STOP_WORDS } from '../search/lexemes.ts';
import { isCode } from './tokens.ts';

export const LANGUAGES = ['simple', 'english', 'german', 'french', 'spanish'] as const;
export type Language = (typeof LANGUAGES)[number];

const BY_TAG: Readonly<Record<string, Language>> = { en: 'english', de: 'german', fr: 'french', es: 'spanish' };

/** The language of word forms of texts with a language tag such as `de-AT`; `simple` if it is not known. */
export function languageOfTag(tag: string): Language {
  return BY_TAG[tag.toLowerCase().split('-')[0]!] ?? 'simple';
}

const STEMS: Readonly<Record<Language, (word: string) => string>> = {
  simple: (word) => word,
  english: stemEnglish,
  german: stemGerman,
  french: stemFrench,
  spanish: stemSpanish,
};

/** A query without these words finds the same rows. They are indexed nevertheless, for phrases. */
const STOP_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  simple: new Set(),
  english: ENGLISH_STOP_WORDS,
  german: listOf(`aber als am an auch auf aus bei bin bis da das dass dem den der des die doch du durch ein eine einem
    einen einer eines er es fur hat ich ihr im in ist ja kein keine mit nach nicht noch nur ob oder ohne sehr sein sich
    sie sind so uber um und uns von vor war was wenn wer wie wir wird zu zum zur`),
  french: listOf(`a ai au aux avec c ce ces cette d dans de des du elle en est et eux il ils j je l la le les leur lui m
    ma mais me meme mes mon n ne nos notre nous on ou par pas pour qu que qui s sa se ses son sont sur t ta te tes ton
    tu un une vos votre vous y`),
  spanish: listOf(`a al algo con como cual de del desde donde e el ella en entre era es esta este la las le les lo los
    mas me mi muy no nos o para pero por porque que se ser si sin sobre son su sus te tu un una uno y ya yo`),
};

function listOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

export function isStopWord(language: Language, word: string): boolean {
  return STOP_WORDS[language].has(word);
}

/** Cached, since the same words recur in many rows. */
const MAX_CACHED = 50_000;
const cachedStems = LANGUAGES.map((language) =>
  // `eeer` has nothing but an ending.
  memoizeText((word) => (isCode(word) ? '' : STEMS[language](word)) || word, MAX_CACHED),
);

export function stemOf(language: Language, word: string): string {
  return cachedStems[LANGUAGES.indexOf(language)]!(word);
}

/** The spellings of a beginning of a word: `Muell` also begins `Müller`, and `Müll` also begins `Mueller`. */
export function spellingsOf(language: Language, prefix: string): readonly string[] {
  if (language !== 'german') return [prefix];
  const withoutE = prefix.replace(/(?<=(?<![aeq])[aou])e(?=.)/g, '');
  const withE = [...prefix.matchAll(/(?<![aeq])[aou](?=[^e])/g)].map(
    ({ index }) => `${prefix.slice(0, index + 1)}e${prefix.slice(index + 1)}`,
  );
  return [...new Set([prefix, withoutE, ...withE])];
}

/** An umlaut may be written with an e: `Mueller` is `Müller`. After a vowel, an e is none: `Frauen` is `Frau`. */
function stemGerman(word: string): string {
  const plain = word.replace(/(?<=(?<![aeoq])[aou])e/g, '');
  const ending = plain.replace(/(?<=.{3})(?:ern|em|en|er|es|e)$/, '');
  return ending.replace(/(?<=.{3})(?:est|er|en|(?<=[bdfghklmnt])st)$/, '').replace(/(?<=.{2}[^s])(?<!au)s$/, '');
}

function stemFrench(word: string): string {
  if (word.length < 4) return word;
  const singular = word.replace(/(?<!e)aux$/, 'al').replace(/[sx]$/, '');
  return singular
    .replace(/(?<=.{3})e+$/, '')
    .replace(/(?<=.{3})(?:s|e*r)$/, '')
    .replace(/(?<=.{3})e+$/, '')
    .replace(/(.)\1$/, '$1');
}

function stemSpanish(word: string): string {
  const singular = word.endsWith('ces') ? `${word.slice(0, -3)}z` : word.replace(/(?<=.{3})(?:s?e?s|se)$/, '');
  return singular.replace(/(?<=.{3})[oae]$/, '');
}
