/** HTML as a value: whatever is put into it is escaped, unless it is HTML itself. */

export class Html {
  constructor(readonly text: string) {}
}

export type Content = string | number | Html | undefined | readonly Content[];

export function html(texts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(texts.map((text, index) => text + shown(contents[index])).join(''));
}

/** CommonMark with tables, as OpenAPI has it in descriptions; HTML in it is shown as text. */
export function markdown(text: string): Html {
  return new Html(Bun.markdown.html(text, { noHtmlBlocks: true, noHtmlSpans: true }));
}

function shown(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(shown).join('');
  return escapeHtml(String(content));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
