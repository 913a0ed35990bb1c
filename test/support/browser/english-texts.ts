/** Looks for English texts on a page in German. */
import type { Page } from 'playwright-core';
import english from '../../../src/console/browser/i18n/english.json' with { type: 'json' };
import german from '../../../src/console/browser/i18n/german.json' with { type: 'json' };

const textsIn = (of: object): readonly string[] =>
  Object.values(of).flatMap((each: string | object) => (typeof each === 'string' ? [each] : textsIn(each)));

const GERMAN = new Set(textsIn(german));
const ENGLISH = new Set(textsIn(english).filter((text) => !GERMAN.has(text)));
/** A word that English sentences have and German ones do not. */
const WORD = /\b(the|is|are|not|with|must|has|have|and|or|to|for|cannot|failed|from|does|unknown)\b/i;
const isSentence = (text: string) => text.split(' ').length > 3 && WORD.test(text);

const SHOWN = `[...document.querySelectorAll('title, body *:not(noscript, script, pre, code, option, [data-field] *)')]
  .flatMap((each) => [
    ...['aria-label', 'title', 'placeholder', 'alt', 'aria-description'].map((name) => each.getAttribute(name)),
    ...[...each.childNodes].map((node) => (node.nodeType === 3 ? node.data.trim() : null)),
  ])
  .filter((text) => text)`;

/** The texts of a page, also of its hidden parts, that are English. Those that begin with a label are the data's. */
export async function englishTexts(page: Page, labels: readonly string[] = []): Promise<readonly string[]> {
  const shown = await page.evaluate<readonly string[]>(SHOWN);
  const texts = [...new Set(shown)].filter((text) => !labels.some((label) => text.startsWith(label)));
  return texts.filter((text) => ENGLISH.has(text) || isSentence(text));
}
