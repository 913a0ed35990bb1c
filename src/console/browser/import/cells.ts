/** Reads the cells of a file as field values. */
import type { ColumnNotation } from '../../../import/notation.ts';
import { isText, type Value } from '../api/catalogue.ts';
import type { FieldPlace, Parsed } from '../fields/kind.ts';
import { kindOf } from '../fields/registry.ts';
import { parsePlain } from '../fields/rules.ts';
import { t } from '../i18n/text.ts';
import { cellText } from './sheet.ts';

/** Reads a cell. Undefined means that the cell is empty. `notation` is absent for files with typed values (JSON). */
export function readCell(place: FieldPlace, cell: unknown, notation: ColumnNotation | undefined): Parsed | undefined {
  if (cell === undefined) return undefined;
  if (cell === null) return { value: null };
  const { field } = place;
  const { name, parse } = kindOf(place);
  const text = cellText(cell);
  if (text.trim() === '' && !isText(field)) return undefined;
  if (text === '') return parsePlain(field, text);
  if (name === 'array' || name === 'json')
    return typeof cell === 'object' ? { value: cell as unknown as Value } : readList(place, text);
  return notation === undefined && typeof cell === 'number' ? parsePlain(field, text) : parse(place, text, notation);
}

/** A list as JSON, as PostgreSQL prints it (`{one,two}`), or as tags with commas. */
function readList(place: FieldPlace, text: string): Parsed {
  const { field } = place;
  if (field.type.input !== 'list' || !/^\s*[[{]/.test(text)) return kindOf(place).parse(place, text);
  try {
    const value = field.type.store(text.trim());
    return { value: JSON.parse(field.type.json(value)) as Value };
  } catch {
    return { problem: t.errors.wrongValue(text) };
  }
}
