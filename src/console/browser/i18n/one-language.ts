/** The texts of one language. The bundler runs this module as a macro, so a script contains only that language. */
import * as texts from './texts/index.ts';

export type Language = 'en' | 'de';

/** Arguments are numbered by their first place in the English text. */
export function textsIn(language: Language): object {
  return pick(texts, language) as object;
}

function pick(of: unknown, language: Language): unknown {
  if (!Array.isArray(of))
    return Object.fromEntries(Object.entries(of as object).map(([name, each]) => [name, pick(each, language)]));
  const [english, german] = of;
  if (typeof english !== 'string') return language === 'de' ? german : english;
  const names = [...new Set([...english.matchAll(/\{(\w+)[|}]/g)].map(([, name]) => name))];
  return (language === 'de' ? german : english).replaceAll(
    /\{(\w+)(?=[|}])/g,
    (_: string, name: string) => `{${names.indexOf(name)}`,
  );
}
