/**
 * Case without surprises: one code point in, one code point out.
 *
 * JavaScript's own mappings may change the length of a text (ß → SS, İ → i̇) or look at the neighbours (the final sigma).
 * PostgreSQL's do neither, and a pattern that counts characters must not meet a text whose length has changed.
 */
const BEYOND_ASCII = /[^\x00-\x7f]/u;
const CASED = /[A-Z]|[^\x00-\x7f]/gu;

/** Two texts are equal regardless of case when their folds are equal (Unicode's simple case folding). */
export function foldCase(text: string): string {
  return BEYOND_ASCII.test(text) ? text.replace(CASED, foldCharacter) : text.toLowerCase();
}

/** The lower case of a text, as the C library's towlower() does it. */
export function lowerCase(text: string): string {
  return BEYOND_ASCII.test(text) ? text.replace(CASED, lowerCharacter) : text.toLowerCase();
}

/**
 * The same for all texts that any comparison here takes for equal regardless of case: those that fold alike, and those that have
 * the same lower case (İ is the one letter that differs).
 */
export function looseCase(text: string): string {
  return foldCase(lowerCase(text));
}

function foldCharacter(character: string): string {
  // The dotless ı is a letter of its own: only Turkish tailoring would make it an i.
  if (character === 'ı') return character;
  const upper = character.toUpperCase();
  return sole(sole(upper, character).toLowerCase(), character);
}

function lowerCharacter(character: string): string {
  return String.fromCodePoint(character.toLowerCase().codePointAt(0)!);
}

/** The mapping, unless it became several code points. */
function sole(mapped: string, otherwise: string): string {
  return mapped.length === String.fromCodePoint(mapped.codePointAt(0)!).length ? mapped : otherwise;
}
