/** Finds the rows that a text refers to by name: the key of the row, or its title in any case. */
import { type Field, isText, type Row, referenceOf, titleFieldOf, type Value } from '../api/catalogue.ts';
import { findRows, readNames } from '../api/query/find-rows.ts';
import { escapeLike, printName, quoted } from '../api/query/text.ts';
import type { FieldPlace, Parsed } from './kind.ts';
import { parsePlain } from './parse.ts';
import { parseText } from './registry.ts';

/** The meaning of a name: a key, or the number of rows with this title. */
export type Meaning = { readonly value: Value } | { readonly count: number };
export type Names = ReadonlyMap<Field, ReadonlyMap<string, Meaning>>;

/** Names per request: each is one condition of at most 500. */
const NAMES_PER_REQUEST = 100;

/** Whether the text can only be a key: a number or a UUID. */
export function isKeyText(field: Field, text: string): boolean {
  return !isText(field) && 'value' in parsePlain(field, text);
}

/** The value of a reference by a text: the key, the title, or a part of the title of only one row. */
export async function findValue(place: FieldPlace, text: string): Promise<Parsed> {
  const meaning = (await findNames(place, [text])).get(text.trim()) ?? { count: 0 };
  if ('value' in meaning) return meaning;
  const found = meaning.count > 0 ? [] : await findRows(referenceOf(place.collection, place.field)!, text);
  return parseText(place, found.length === 1 ? found[0]!.value : text);
}

/** Looks up the texts of a reference field that are not keys by their form. */
export async function findNames(
  { collection, field }: FieldPlace,
  texts: readonly string[],
): Promise<ReadonlyMap<string, Meaning>> {
  const known = new Map<string, Meaning>();
  const other = referenceOf(collection, field)!;
  const title = titleFieldOf(other);
  const key = other.key[0]!;
  const names = [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '' && !isKeyText(field, text));
  for (let start = 0; start < names.length; start += NAMES_PER_REQUEST) {
    const part = names.slice(start, start + NAMES_PER_REQUEST);
    const conditions = [
      ...(isText(key) ? [`${printName(key.name)}.in.(${part.map(quoted).join(',')})`] : []),
      ...(title === undefined || !isText(title)
        ? []
        : [`${printName(title.name)}.ilike(any).{${part.map((name) => quoted(escapeLike(name))).join(',')}}`]),
    ];
    const rows = conditions.length === 0 ? [] : await readNames(other, [['or', `(${conditions.join(',')})`]]);
    for (const name of part) {
      const isTitle = (row: Row) => title !== undefined && String(row[title.name]).toLowerCase() === name.toLowerCase();
      const byKey = rows.filter((row) => row[key.name] === name);
      const exact = rows.filter((row) => title !== undefined && row[title.name] === name);
      const found = [byKey, exact, rows.filter(isTitle)].find(({ length }) => length > 0) ?? [];
      known.set(name, found.length === 1 ? { value: found[0]![key.name] ?? null } : { count: found.length });
    }
  }
  return known;
}
