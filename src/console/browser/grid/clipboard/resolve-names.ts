/** References in pasted text: people paste the title of a row, not its key. */
import { referenceOf, titleFieldOf } from '../../api/catalogue.ts';
import { ask } from '../../api/client.ts';
import { pathOf, printName, queryText, quoted } from '../../api/query/filter-text.ts';
import { cacheTitle } from '../../api/query/titles.ts';
import type { FieldPlace } from '../../fields/kind.ts';
import { kindOf, parseText } from '../../fields/registry.ts';
import { t } from '../../i18n/text.ts';
import type { Column } from '../columns/columns.ts';
import type { Block } from './clipboard.ts';
import type { Parse } from './paste.ts';

/** Titles per request, within the length of a URL. */
const TITLES_PER_REQUEST = 100;

/** Reads the keys of all titles in a block. The result parses texts, and knows ambiguous and unknown titles. */
export async function parserFor(columns: readonly Column[], collection: FieldPlace['collection'], block: Block) {
  const keys = new Map<string, readonly unknown[]>();
  for (const [index, { field }] of columns.entries()) {
    const place = { collection, field };
    const texts = new Set(block.map((row) => row[index]?.trim() ?? '').filter((text) => text !== ''));
    if (kindOf(place).name !== 'reference' || texts.size === 0) continue;
    for (const [title, found] of await keysOf(place, [...texts])) keys.set(`${field.name} ${title}`, found);
  }
  const parse: Parse = (place, text) => {
    const found = keys.get(`${place.field.name} ${text.trim()}`);
    if (found === undefined || found.length === 0) return parseText(place, text);
    if (found.length > 1) return { problem: t.grid.ambiguous(text.trim()) };
    return parseText(place, String(found[0]));
  };
  return parse;
}

async function keysOf(place: FieldPlace, titles: readonly string[]): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const other = referenceOf(place.collection, place.field)!;
  const title = titleFieldOf(other);
  const found = new Map<string, unknown[]>();
  if (title === undefined) return found;
  const key = other.key[0]!.name;
  for (let start = 0; start < titles.length; start += TITLES_PER_REQUEST) {
    const part = titles.slice(start, start + TITLES_PER_REQUEST);
    const query = queryText([
      ['select', `${printName(key)},${printName(title.name)}`],
      [printName(title.name), `in.(${part.map((each) => quoted(each)).join(',')})`],
    ]);
    const { json } = await ask(`${pathOf(other)}?${query}`);
    for (const row of json as Readonly<Record<string, unknown>>[]) {
      const name = String(row[title.name]);
      found.set(name, [...(found.get(name) ?? []), row[key]]);
      cacheTitle(place.collection, place.field, row[key], name);
    }
  }
  return found;
}
