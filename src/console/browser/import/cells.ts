/** Reads the cells of a file as field values. */
import type { ColumnNotation } from '../../../import/notation.ts';
import { isNumeric, isText, type Value } from '../api/catalogue.ts';
import type { FieldPlace, Parsed } from '../fields/kind.ts';
import { parsePlain } from '../fields/parse.ts';
import { kindOf } from '../fields/registry.ts';
import { cellText } from './sheet.ts';

/** Reads a cell. Undefined means that the cell is empty. `notation` is absent for files with typed values (JSON). */
export function readCell(place: FieldPlace, cell: unknown, notation: ColumnNotation | undefined): Parsed | undefined {
  if (cell === undefined) return undefined;
  if (cell === null) return { value: null };
  const { field } = place;
  const text = cellText(cell);
  if (text.trim() === '' && !isText(field)) return undefined;
  const isStructured = field.type.input === 'list' || field.type.input === 'json';
  if (isStructured && typeof cell === 'object') return { value: cell as unknown as Value };
  // The notation of texts beside a number does not concern it.
  const isNumber = typeof cell === 'number' && isNumeric(field) && kindOf(place).name !== 'boolean';
  return isNumber ? parsePlain(field, text) : kindOf(place).parse(place, text, notation);
}
