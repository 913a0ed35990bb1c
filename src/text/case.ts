/**
 * Case mappings from one code point to one code point, as in PostgreSQL. JavaScript's own mappings may change the
 * length of a text (ß → SS, İ → i̇) or depend on neighbours (the final sigma). A pattern that counts characters needs
 * the same length.
 */
const BEYOND_ASCII = /[^\x00-\x7f]/u;
const LETTER = /[a-z]|[^\x00-\x7f]/gu;
const CASED = /[A-Z]|[^\x00-\x7f]/gu;

/** Unicode's simple case folding: texts that differ only in case have equal folds. */
export function foldCase(text: string): string {
  return BEYOND_ASCII.test(text) ? text.replace(CASED, foldCharacter) : text.toLowerCase();
}

/** The lower case of a text, as in the C library's towlower(). */
export function lowerCase(text: string): string {
  return BEYOND_ASCII.test(text) ? text.replace(CASED, lowerCharacter) : text.toLowerCase();
}

/** The upper case of a text, as in the C library's towupper(). */
export function upperCase(text: string): string {
  return text.replaceAll(LETTER, (character) => singleOr(character.toUpperCase(), character));
}

/** Equal for texts with equal folds or with equal lower case; only for İ do the two differ. */
export function looseCase(text: string): string {
  return foldCase(lowerCase(text));
}

function foldCharacter(character: string): string {
  // The dotless ı is a letter of its own: only Turkish tailoring would make it an i.
  if (character === 'ı') return character;
  const upper = character.toUpperCase();
  return singleOr(singleOr(upper, character).toLowerCase(), character);
}

function lowerCharacter(character: string): string {
  return String.fromCodePoint(character.toLowerCase().codePointAt(0)!);
}

/** The mapping, unless it became several code points. */
function singleOr(mapped: string, otherwise: string): string {
  return mapped.length === String.fromCodePoint(mapped.codePointAt(0)!).length ? mapped : otherwise;
}
