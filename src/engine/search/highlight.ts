/** Marks the words of a text that were searched for. The rest is escaped, so that the result can be shown as HTML. */
import { escapeHtml } from '../../base/html.ts';
import { wordsOf } from '../../text/words/tokens.ts';

/** A longer text is cut to a part around the first mark. */
const LONGEST = 300;
const CONTEXT = 60;

/** Undefined if no word was searched for. */
export function highlight(text: string, isSearched: (word: string) => boolean): string | undefined {
  const words = wordsOf(text).sort((one, other) => one.start - other.start || other.end - one.end);
  const found = words.filter((word) => isSearched(word.text));
  if (found.length === 0) return undefined;
  const from = text.length <= LONGEST ? 0 : startOf(text, found[0]!.start);
  const to = text.length <= LONGEST ? text.length : endOf(text, from + LONGEST);
  let marked = from > 0 ? '…' : '';
  let at = from;
  for (const { start, end } of found) {
    // A code as a whole may contain marked parts.
    if (start < at || end > to) continue;
    marked += `${escapeHtml(text.slice(at, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>`;
    at = end;
  }
  return `${marked}${escapeHtml(text.slice(at, to))}${to < text.length ? '…' : ''}`;
}

/** The beginning of a word some characters before. */
function startOf(text: string, at: number): number {
  if (at <= CONTEXT) return 0;
  const space = text.indexOf(' ', at - CONTEXT);
  return space === -1 || space >= at ? at : space + 1;
}

/** The end of a word some characters before. */
function endOf(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const space = text.lastIndexOf(' ', at);
  if (space > at - CONTEXT) return space;
  // Not between the two units of a character.
  return text.codePointAt(at - 1)! > 0xffff ? at - 1 : at;
}
