/** The notation of the numbers or dates of a field: in a column of cells, or of one typed text. */
import { type ColumnNotation, notationOf } from '../../../import/notation.ts';
import type { Field } from '../api/catalogue.ts';
import { explain } from '../api/explain.ts';
import { locale } from '../i18n/locale.ts';
import { localMark } from '../i18n/numbers.ts';
import type { Parsed } from './kind.ts';

/** Cells that do not show the notation have that of the reader's language, or of the file. */
export function columnOf(field: Field, separator = ''): ColumnNotation | undefined {
  const number = separator === ',' ? 'point' : localMark();
  return notationOf(field, { number, date: /^en(-US)?$/.test(locale) ? 'monthFirst' : 'dayFirst' });
}

/** Parses a text in the notation of its column. */
export function parseNotated(
  field: Field,
  text: string,
  notation: ColumnNotation | undefined,
  parse: (plain: string | undefined) => Parsed,
): Parsed {
  let plain: string | undefined;
  try {
    plain = (notation ?? columnOf(field))?.read(text);
  } catch (error) {
    return { problem: explain(error) };
  }
  return parse(plain);
}
