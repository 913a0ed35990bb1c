/** The languages of a catalogue: the language of its fields, and the languages of their translations. */
import { ApiError, unlessThrown } from '../base/errors.ts';
import { memoize } from '../base/memo.ts';
import type { Catalogue, Collection } from './catalogue.ts';

/** The language of fields unless the declaration says otherwise. */
export const USUAL_LANGUAGE = 'en';

/** The longest tag that is read: each of its parts is taken off in turn. RFC 5646 (4.4.1) asks for 35 characters. */
const MAX_TAG_LENGTH = 100;
/** Tags of language, script and region (RFC 5646), without extensions. */
const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/;

/** The name of the field with the translation of another: `name_de`, `name_pt_br`. */
export function translationName(field: string, language: string): string {
  return `${field}_${language.toLowerCase().replaceAll('-', '_')}`;
}

/** The languages of all translations; empty if there are none. */
export const translatedLanguages = memoize((among: ReadonlyMap<string, Collection>): ReadonlySet<string> => {
  const fields = [...among.values()].flatMap((collection) => collection.fields);
  return new Set(fields.flatMap(({ translations }) => [...(translations?.keys() ?? [])]));
});

/** The language of the fields, and those of all translations. */
export const languagesOf = memoize(({ collections, draft }: Catalogue): readonly string[] => [
  draft.language ?? USUAL_LANGUAGE,
  ...translatedLanguages(collections),
]);

/** A tag of a declaration in its usual form: `pt-BR` for `pt-br`, `he` for `iw`; undefined if it is none. */
export function canonicalTag(tag: string): string | undefined {
  return LANGUAGE_TAG.test(tag) ? unlessThrown(() => new Intl.Locale(tag).toString()) : undefined;
}

/**
 * The one of these languages that a tag means: itself, the same with its usual script and region, as `zh-TW` is
 * `zh-Hant` and `pt` is `pt-BR`, or the nearest that it narrows down, as `de-AT` does with `de`.
 */
export function languageMeant(tag: string, languages: readonly string[]): string | undefined {
  if (tag.length > MAX_TAG_LENGTH) return undefined;
  try {
    const asked = new Intl.Locale(tag);
    const tags = [asked.toString(), ...widerTags(wholeTag(asked)), ...widerTags(asked.toString())];
    const names = namesOf(languages);
    return names.get(tags.find((each) => names.has(each)) ?? '');
  } catch (error) {
    // The tag has no valid form.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The language that a client names; rejects others. The first is that of the fields. */
export function languageNamed(tag: string, languages: readonly string[], what = 'lang'): string {
  const meant = languageMeant(tag, languages);
  if (meant !== undefined) return meant;
  throw new ApiError('PGRST100', `${what}: '${tag}' is not a language of this catalogue`, {
    hint: `Use ${languages.join(', ')}.`,
  });
}

function wholeTag(locale: Intl.Locale): string {
  return locale.maximize().toString();
}

/** The languages by their tags, and by their tags with the usual script and region. */
const namesOf = memoize((languages: readonly string[]): ReadonlyMap<string, string> => {
  const whole = languages.map((each) => [wholeTag(new Intl.Locale(each)), each] as const);
  return new Map([...whole.reverse(), ...languages.map((each) => [each, each] as const)]);
});

/** The tag, and the same with one part less each time: `zh-Hant-TW`, `zh-Hant`, `zh`. */
function widerTags(tag: string): readonly string[] {
  const parts = tag.split('-');
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('-'));
}

/** The ranges of Accept-Language that are read. */
const MAX_RANGES = 20;

/**
 * The language of an answer for a header Accept-Language (RFC 4647, lookup). It is the first, that of the fields, if
 * the client accepts any language, or none of these.
 */
export function negotiateLanguage(header: string, languages: readonly string[]): string {
  const own = languages[0]!;
  const ranges = header.split(',', MAX_RANGES).map((range, place) => {
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
