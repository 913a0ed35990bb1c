/** The words of a text that a misspelt word may mean. */
import { editDistance } from '../../base/nearest-name.ts';

/** One bit for each letter of a word: an edit changes at most two of them. */
function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) & 31);
  return bits;
}

function countBits(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** Misspellings: one edit from 4 letters, two from 8. */
function allowedEdits(word: string): number {
  return word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
}

export interface NearPatterns {
  /** The lengths of words within the allowed edits. */
  readonly shortest: number;
  readonly longest: number;
  /** They have one of these patterns of `like`. */
  readonly patterns: readonly string[];
}

/**
 * The pieces that all words within the allowed edits of a word have in common. The word has one piece more than edits,
 * with a letter between two pieces, since two swapped letters may belong to two pieces. So one piece has no edit.
 * Undefined if the word is too short for edits.
 */
export function patternsOfNear(word: string): NearPatterns | undefined {
  const most = allowedEdits(word);
  if (most === 0) return undefined;
  const cut = (nth: number) => Math.round((nth * (word.length + 1)) / (most + 1));
  const pieces = Array.from({ length: most + 1 }, (_, nth) => word.slice(cut(nth), cut(nth + 1) - 1));
  const patterns = pieces.map((piece, nth) => `${nth === 0 ? '' : '%'}${piece}${nth === most ? '' : '%'}`);
  return { shortest: word.length - most, longest: word.length + most, patterns };
}

/** The words within the allowed edits of a word. */
export function nearWords(word: string, among: Iterable<string>): { readonly text: string; readonly edits: number }[] {
  const most = allowedEdits(word);
  if (most === 0) return [];
  const letters = lettersOf(word);
  const near: { text: string; edits: number }[] = [];
  for (const text of among) {
    if (Math.abs(text.length - word.length) > most || countBits(lettersOf(text) ^ letters) > 2 * most) continue;
    const edits = editDistance(word, text, most);
    if (edits > 0 && edits <= most) near.push({ text, edits });
  }
  return near;
}
