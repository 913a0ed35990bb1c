/** Chooses the languages of a request to a catalogue with translations, and names them in the response. */
import { memoizeText } from '../base/memo.ts';
import { splitQuery } from '../base/net/query-string.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { languageNamed, languagesOf, negotiateLanguage } from '../collection/languages.ts';
import { isLanguage } from '../dialect/query.ts';
import type { Call } from '../http/call.ts';
import { andThen, type Middleware } from './request-context.ts';

/** Does nothing for a catalogue without translations. */
export function withLanguages(catalogue: Catalogue): Middleware {
  const all = languagesOf(catalogue);
  const [own = '', ...translated] = all;
  if (translated.length === 0) return (next) => next;
  const negotiated = memoizeText((header) => negotiateLanguage(header, all));
  const shownBy = (call: Call) => {
    // A call may have a parameter of this name.
    const query = call.target.kind === 'routine' ? [] : splitQuery(call.query);
    const [, asked] = query.find(([key, value]) => isLanguage(key, value)) ?? [];
    if (asked !== undefined) return languageNamed(asked, all);
    return negotiated(call.acceptLanguage ?? '');
  };
  const unlessOwn = (language: string) => (language === own ? undefined : language);
  const named = (tag: string) => unlessOwn(languageNamed(tag, all));
  return (next) => (context) => {
    const { call } = context;
    const shown = shownBy(call);
    const header = call.isWrite ? call.contentLanguage : null;
    const written = header === null ? own : languageNamed(header.trim(), all, 'Content-Language');
    call.languages = { own, shown: unlessOwn(shown), written: unlessOwn(written), named };
    return andThen(next(context), (response) => {
      const isNamed = response.headers.has('content-language');
      if (response.ok && !isNamed) response.headers.set('content-language', call.languages?.shown ?? own);
      response.headers.append('vary', 'Accept-Language');
      return response;
    });
  };
}
