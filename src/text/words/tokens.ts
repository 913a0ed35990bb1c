/**
 * Splits a text into words for the declared search. Case, accents and ligatures do not matter: `Groß` and `GROSS` are
 * one word, as are `Café` and `cafe`. Scripts without spaces are split by a dictionary.
 */
interface Word {
  readonly text: string;
  /** Its place among the words of the text. A code or compound as a whole has the place of its first part. */
  readonly position: number;
  /** Its place in the text. */
  readonly start: number;
  readonly end: number;
  /** The number of its parts, if it is a code or compound as a whole, beside its parts: `ab1234` for `AB-1234`. */
  readonly parts?: number;
}

/** Letters and digits; signs join the parts of a code or a compound. The group has the parts after the first. */
const CHUNK = /[\p{L}\p{N}\p{M}]+((?:[-._/:][\p{L}\p{N}\p{M}]+)*)/gu;
/** The same for lower-case ASCII, several times as fast. */
const ASCII_CHUNK = /[a-z0-9]+((?:[-._/:][a-z0-9]+)*)/g;
const PART = /[\p{L}\p{N}\p{M}]+/gu;
const DIGIT = /\p{N}/u;
/** Words joined by hyphens alone: `Wi-Fi` is also written `WiFi`. */
const COMPOUND = /^[^._/:]*$/;
const WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
const BEYOND_ASCII = /[^\x00-\x7f]/;
const LIGATURES: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ς: 'σ',
};
const LIGATURE = new RegExp(`[${Object.keys(LIGATURES).join('')}]`, 'g');
/** The rest of a longer word is ignored. */
const LONGEST_WORD = 60;

export function foldWord(text: string): string {
  const lower = text.toLowerCase();
  if (!BEYOND_ASCII.test(lower)) return lower.slice(0, LONGEST_WORD);
  const folded = lower
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(LIGATURE, (letter) => LIGATURES[letter]!);
  return [...folded.toLowerCase()].slice(0, LONGEST_WORD).join('');
}

/** Words with digits are codes and amounts: they have no stem, and no misspelling is corrected. */
export function isCode(word: string): boolean {
  return DIGIT.test(word);
}

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let position = 0;
  const isAscii = !BEYOND_ASCII.test(text);
  const add = (part: string, start: number) => {
    if (!isAscii && WITHOUT_SPACES.test(part)) {
      for (const { segment, index } of segmenter.segment(part)) addWord(segment, start + index);
    } else addWord(part, start);
  };
  const addWord = (part: string, start: number) => {
    const folded = isAscii ? part.slice(0, LONGEST_WORD) : foldWord(part);
    if (folded !== '') words.push({ text: folded, position: position++, start, end: start + part.length });
  };
  for (const { 0: chunk, 1: more, index } of isAscii
    ? text.toLowerCase().matchAll(ASCII_CHUNK)
    : text.matchAll(CHUNK)) {
    const first = position;
    if (more === '') {
      add(chunk, index);
      continue;
    }
    const parts = [...chunk.matchAll(PART)];
    for (const part of parts) add(part[0], index + part.index);
    if (!DIGIT.test(chunk) && !COMPOUND.test(chunk)) continue;
    const whole = foldWord(parts.map(([part]) => part).join(''));
    words.push({ text: whole, position: first, start: index, end: index + chunk.length, parts: parts.length });
  }
  return words;
}
