/** The language of the texts and the format of numbers and dates. A change reloads the page. */
import { browserStorage } from '../base/storage.ts';

const STORED = 'catalogue.language';

export const LANGUAGES = { en: 'English', de: 'Deutsch' };
export type Language = keyof typeof LANGUAGES;

const preferred = globalThis.navigator?.language ?? 'en';
const chosen = browserStorage.get(STORED);

export const language: Language = (chosen ?? preferred).toLowerCase().startsWith('de') ? 'de' : 'en';
/** The browser's own locale, if it is in the language of the texts: `en-GB`, `de-AT`. */
export const locale: string = chosen === undefined || preferred.startsWith(language) ? preferred : language;

/** The name of a language in the language of the texts: `German`, `Deutsch`. */
export const languageName = (tag: string): string =>
  new Intl.DisplayNames(language, { type: 'language' }).of(tag) ?? tag;

/** A label within a sentence. German nouns keep their capital letter. */
export const inSentence = (label: string): string => (language === 'de' ? label : label.toLowerCase());

export function chooseLanguage(next: Language): void {
  browserStorage.set(STORED, next);
  location.reload();
}
