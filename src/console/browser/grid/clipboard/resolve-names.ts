/** References in pasted text: people paste the title of a row, not its key. */
import type { Notations } from '../../../../import/cells.ts';
import { type Collection, type Field, referenceOf } from '../../api/catalogue.ts';
import { findNames, type Meaning, type Names } from '../../fields/names.ts';
import { parseText } from '../../fields/registry.ts';
import { t } from '../../i18n/text.ts';
import type { Column } from '../../views/columns.ts';
import type { Block } from './clipboard.ts';
import type { Parse } from './paste.ts';

/** The keys of all titles in a block. */
export async function findBlockNames(columns: readonly Column[], collection: Collection, block: Block): Promise<Names> {
  const names = new Map<Field, ReadonlyMap<string, Meaning>>();
  for (const [index, { field }] of columns.entries()) {
    if (referenceOf(collection, field) === undefined) continue;
    const texts = block.map((row) => row[index] ?? '');
    names.set(field, await findNames({ collection, field }, texts));
  }
  return names;
}

/** Parses texts: numbers and dates by column, and ambiguous and unknown titles. */
export const parserFor =
  (names: Names, notations: Notations): Parse =>
  (place, text) => {
    const meaning = names.get(place.field)?.get(text.trim()) ?? { count: 0 };
    if ('value' in meaning) return { value: meaning.value };
    return meaning.count > 1
      ? { problem: t.grid.ambiguous(text.trim()) }
      : parseText(place, text, notations.of(place.field));
  };
