/** References in pasted text: people paste the title of a row, not its key. */
import { type Collection, type Field, referenceOf } from '../../api/catalogue.ts';
import { findNames, type Meaning } from '../../fields/names.ts';
import { newNotations } from '../../fields/parse.ts';
import { parseText } from '../../fields/registry.ts';
import { t } from '../../i18n/text.ts';
import type { Column } from '../../views/columns.ts';
import type { Block } from './clipboard.ts';
import type { Parse } from './paste.ts';

/**
 * Reads the keys of all titles in a block. The result parses texts, numbers and dates by column, and knows ambiguous
 * and unknown titles.
 */
export async function parserFor(columns: readonly Column[], collection: Collection, block: Block): Promise<Parse> {
  const names = new Map<Field, ReadonlyMap<string, Meaning>>();
  const notations = newNotations('\t');
  const fields = columns.map(({ field }) => field);
  for (const row of block) notations.learn(fields, row);
  for (const [index, field] of fields.entries()) {
    if (referenceOf(collection, field) === undefined) continue;
    const texts = block.map((row) => row[index] ?? '');
    names.set(field, await findNames({ collection, field }, texts));
  }
  return (place, text) => {
    const meaning = names.get(place.field)?.get(text.trim()) ?? { count: 0 };
    if ('value' in meaning) return { value: meaning.value };
    return meaning.count > 1
      ? { problem: t.grid.ambiguous(text.trim()) }
      : parseText(place, text, notations.of(place.field));
  };
}
