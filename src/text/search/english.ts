/**
 * The Snowball stemmer for English ("Porter2"): words that differ only in their ending have the same stem.
 *
 * Written after the description of the algorithm at snowballstem.org. A `y` that acts as a consonant is written `Y`
 * while the steps run. R1 is the text after the first consonant that follows a vowel; R2 is the same within R1.
 */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map(
  pairsIn(`skis:ski skies:sky dying:die lying:lie tying:tie idly:idl gently:gentl ugly:ugli early:earli only:onli
    singly:singl sky:sky news:news howe:howe atlas:atlas cosmos:cosmos bias:bias andes:andes`),
);
const FINISHED_AFTER_PLURAL = /^(?:inn|out|cann|herr|earr)ing$|^(?:pro|ex|suc)ceed$/;

const VOWEL = /[aeiouy]/;
const REGION = /[aeiouy].*?[^aeiouy]/su;
const LONG_PREFIX = /^(?:gener|commun|arsen)/;
const ENDS_IN_SHORT_SYLLABLE = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/u;

/** Endings and their replacements within R1; the longest matching ending wins. */
const DERIVATIONS = endings(`tional:tion enci:ence anci:ance abli:able entli:ent izer:ize ization:ize ational:ate
  ation:ate ator:ate alism:al aliti:al alli:al fulness:ful ousli:ous ousness:ous iveness:ive iviti:ive biliti:ble bli:ble
  ogi:og fulli:ful lessli:less li:`);
const SHORTER_DERIVATIONS = endings('tional:tion ational:ate alize:al icate:ic iciti:ic ical:ic ful: ness: ative:');
const SUFFIXES = endings(
  'al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ism: ate: iti: ous: ive: ize: ion:',
);

export function stemEnglish(word: string): string {
  const exception = EXCEPTIONS.get(word);
  if (exception !== undefined || [...word].length < 3) return exception ?? word;
  const marked = markConsonantY(word);
  const r1 = regionAfter(marked, LONG_PREFIX.exec(marked)?.[0].length ?? null);
  const r2 = regionAfter(marked.slice(r1), null) + r1;
  let stem = withoutPlural(marked);
  if (FINISHED_AFTER_PLURAL.test(stem)) return stem;
  stem = withoutTense(stem, r1).replace(/(?<=.[^aeiouy])[yY]$/su, 'i');
  stem = replaceEnding(stem, DERIVATIONS, r1, derivationApplies);
  stem = replaceEnding(stem, SHORTER_DERIVATIONS, r1, (ending, before) => ending !== 'ative' || before.length >= r2);
  stem = replaceEnding(stem, SUFFIXES, r2, (ending, before) => ending !== 'ion' || /[st]$/.test(before));
  return withoutFinalLetter(stem, r1, r2).replaceAll('Y', 'y');
}

function markConsonantY(word: string): string {
  return word.replace(/^y/, 'Y').replace(/(?<=[aeiouy])y/g, 'Y');
}

function regionAfter(word: string, known: number | null): number {
  if (known !== null) return known;
  const match = REGION.exec(word);
  return match ? match.index + match[0].length : word.length;
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/[us]s$/.test(word) || !word.endsWith('s')) return word;
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function withoutTense(word: string, r1: number): string {
  const agreed = /eed(?:ly)?$/.exec(word);
  if (agreed) return agreed.index >= r1 ? `${word.slice(0, agreed.index)}ee` : word;
  const ending = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (!ending || !VOWEL.test(word.slice(0, ending.index))) return word;
  const stem = word.slice(0, ending.index);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/([bdfgmnprt])\1$/.test(stem)) return stem.slice(0, -1);
  return stem.length === r1 && ENDS_IN_SHORT_SYLLABLE.test(stem) ? `${stem}e` : stem;
}

function derivationApplies(ending: string, before: string): boolean {
  if (ending === 'ogi') return before.endsWith('l');
  return ending !== 'li' || /[cdeghkmnrt]$/.test(before);
}

function withoutFinalLetter(word: string, r1: number, r2: number): string {
  const before = word.slice(0, -1);
  if (word.endsWith('e')) {
    const goes = before.length >= r2 || (before.length >= r1 && !ENDS_IN_SHORT_SYLLABLE.test(before));
    return goes ? before : word;
  }
  return word.endsWith('ll') && before.length >= r2 ? before : word;
}

/** Endings that the steps above produce but words do not have, as in hop(e), berr(i), reliab(l). */
const MADE_ENDING = /(?<=b)le?$|(?<=[^aeiou])[ei]$/;

/** The common prefix of all words with this stem. */
export function startOfWords(stem: string): string {
  const exceptions = [...EXCEPTIONS].filter(([, exception]) => exception === stem);
  return exceptions.reduce((start, [word]) => commonStart(start, word), stem.replace(MADE_ENDING, ''));
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

type Endings = readonly (readonly [ending: string, replacement: string])[];

function endings(pairs: string): Endings {
  return pairsIn(pairs).sort(([a], [b]) => b.length - a.length);
}

/** `skis:ski skies:sky` */
function pairsIn(text: string): [from: string, to: string][] {
  return text.split(/\s+/).map((pair) => pair.split(':') as [string, string]);
}

function replaceEnding(
  word: string,
  among: Endings,
  region: number,
  applies: (ending: string, before: string) => boolean,
): string {
  const rule = among.find(([ending]) => word.endsWith(ending));
  if (!rule) return word;
  const before = word.slice(0, word.length - rule[0].length);
  return before.length >= region && applies(rule[0], before) ? before + rule[1] : word;
}
