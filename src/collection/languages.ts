/** The languages of a catalogue: the language of its fields, and the languages of their translations. */
import { memoize } from '../base/memo.ts';
import type { Collection } from './catalogue.ts';

/** The language of fields unless the declaration says otherwise. */
export const USUAL_LANGUAGE = 'en';

/** A language tag (RFC 5646) in the form in which a declaration may contain it, such as `de` or `pt-BR`. */
export const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/;

/** The name of the field with the translation of another: `name_de`, `name_pt_br`. */
export function translationName(field: string, language: string): string {
  return `${field}_${language.toLowerCase().replaceAll('-', '_')}`;
}

/** The languages of all translations; empty if there are none. */
export const translatedLanguages = memoize((among: ReadonlyMap<string, Collection>): ReadonlySet<string> => {
  const fields = [...among.values()].flatMap((collection) => collection.fields);
  return new Set(fields.flatMap(({ translations }) => [...(translations?.keys() ?? [])]));
});

/** The first of these languages that a tag means: itself, or one that it narrows down, as `de-AT` does with `de`. */
export function languageMeant(tag: string, languages: Iterable<string>): string | undefined {
  const asked = tag.toLowerCase();
  const all = [...languages];
  const isSame = (each: string) => each.toLowerCase() === asked;
  const isWider = (each: string) => asked.startsWith(`${each.toLowerCase()}-`);
  return all.find(isSame) ?? all.find(isWider);
}

/**
 * The language of an answer for a header Accept-Language (RFC 4647, lookup). It is the language of the fields if the
 * client accepts any language, or none of the available ones.
 */
export function negotiateLanguage(header: string | null, own: string, translated: ReadonlySet<string>): string {
  const languages = [own, ...translated];
  const ranges = (header ?? '').split(',').map((range, place) => {
    const [tag, ...parameters] = range.split(';').map((part) => part.trim());
    const quality = parameters.find((each) => /^q=/i.test(each));
    return { tag: tag!, place, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
  });
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality || a.place - b.place);
  for (const { tag } of wanted) {
    const found = tag === '*' ? own : languageMeant(tag, languages);
    if (found !== undefined) return found;
  }
  return own;
}
