/** Finds the rows that a file refers to by name: the key of the row, or its title in any case. */
import {
  type Collection,
  type Field,
  isText,
  type Row,
  referenceOf,
  titleFieldOf,
  type Value,
} from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { escapeLike, pathOf, printName, queryText, quoted } from '../api/query/filter-text.ts';
import { cacheTitle, namesOf } from '../api/query/titles.ts';
import { parsePlain } from '../fields/rules.ts';
import type { Mapping } from './columns.ts';
import { cellText, type Sheet } from './sheet.ts';

/** The meaning of a name: a key, several rows with this title, or none. */
export type Meaning = { readonly value: Value } | { readonly count: number };
export type Names = ReadonlyMap<Field, ReadonlyMap<string, Meaning>>;

/** Names per request: each is one condition of at most 500. */
const NAMES_PER_REQUEST = 100;

export class NameFinder {
  private readonly known = new Map<Field, Map<string, Meaning>>();

  constructor(private readonly collection: Collection) {}

  /** Looks up the cells of all reference columns that are not keys by their form. */
  async find({ rows }: Sheet, mapping: Mapping): Promise<Names> {
    for (const [column, field] of mapping.entries()) {
      const other = field && referenceOf(this.collection, field);
      if (field === undefined || other === undefined) continue;
      const known = this.known.get(field) ?? new Map<string, Meaning>();
      this.known.set(field, known);
      const texts = new Set(rows.map(({ cells }) => cellText(cells[column]).trim()).filter((text) => text !== ''));
      const names = [...texts].filter((text) => !known.has(text) && !isKeyText(field, text));
      for (let start = 0; start < names.length; start += NAMES_PER_REQUEST)
        await this.findSome(field, other, names.slice(start, start + NAMES_PER_REQUEST), known);
    }
    return this.known;
  }

  /** Forgets names without a row, after rows were created. */
  forget(): void {
    this.known.clear();
  }

  private async findSome(field: Field, other: Collection, names: readonly string[], known: Map<string, Meaning>) {
    const title = titleFieldOf(other);
    const key = other.key[0]!;
    const conditions = [
      ...(isText(key) ? [`${printName(key.name)}.in.(${names.map(quoted).join(',')})`] : []),
      ...(title === undefined || !isText(title)
        ? []
        : [`${printName(title.name)}.ilike(any).{${names.map((name) => quoted(escapeLike(name))).join(',')}}`]),
    ];
    const query = queryText([
      ['select', namesOf(other).join(',')],
      ['or', `(${conditions.join(',')})`],
    ]);
    const rows = conditions.length === 0 ? [] : ((await ask(`${pathOf(other)}?${query}`)).json as Row[]);
    for (const row of rows) cacheTitle(this.collection, field, row[key.name], String(row[title?.name ?? key.name]));
    for (const name of names) {
      const isTitle = (row: Row) => title !== undefined && String(row[title.name]).toLowerCase() === name.toLowerCase();
      const byKey = rows.filter((row) => row[key.name] === name);
      const exact = rows.filter((row) => title !== undefined && row[title.name] === name);
      const found = [byKey, exact, rows.filter(isTitle)].find(({ length }) => length > 0) ?? [];
      known.set(name, found.length === 1 ? { value: found[0]![key.name] ?? null } : { count: found.length });
    }
  }
}

/** Whether the text can only be a key: a number or a UUID. */
export function isKeyText(field: Field, text: string): boolean {
  return !isText(field) && 'value' in parsePlain(field, text);
}

/** Whether a row of the collection needs nothing but a title. */
export function needsOnlyTitle(collection: Collection): boolean {
  const title = titleFieldOf(collection);
  return (
    title !== undefined &&
    collection.fields.every(
      (field) =>
        field === title ||
        field === collection.assigned ||
        !field.required ||
        field.default !== undefined ||
        field.generated !== undefined ||
        field.filled !== false,
    )
  );
}
