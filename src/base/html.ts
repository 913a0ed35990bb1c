/** HTML as a value. It escapes everything that is put into it, except other HTML values. */

export class Html {
  constructor(readonly text: string) {}
}

export type Content = string | number | Html | undefined | readonly Content[];

export function html(texts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(texts.map((text, index) => text + shown(contents[index])).join(''));
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
