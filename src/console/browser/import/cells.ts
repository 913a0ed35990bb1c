/** Reads the cells of a file as field values. */
import { isText, type Value } from '../api/catalogue.ts';
import { readTime } from '../fields/dates.ts';
import type { FieldPlace, Parsed } from '../fields/kind.ts';
import { readNumber } from '../fields/numbers.ts';
import { kindOf } from '../fields/registry.ts';
import { parsePlain } from '../fields/rules.ts';
import { t } from '../i18n/text.ts';
import { type ColumnFormat, isoDate } from './formats.ts';
import { cellText } from './sheet.ts';

/** Reads a cell. Undefined means that the cell is empty. `format` is absent for files with typed values (JSON). */
export function readCell(place: FieldPlace, cell: unknown, format: ColumnFormat | undefined): Parsed | undefined {
  if (cell === undefined) return undefined;
  if (cell === null) return { value: null };
  const { field } = place;
  const { name, parse } = kindOf(place);
  const text = cellText(cell);
  if (text.trim() === '' && !isText(field)) return undefined;
  if (text === '') return parsePlain(field, text);
  switch (name) {
    case 'number': {
      const plain = readNumber(text, format === 'comma' ? ',' : '.');
      return plain === undefined ? { problem: t.errors.notANumber(text) } : parsePlain(field, plain);
    }
    case 'date':
      return parsePlain(field, readTime(field, format === undefined ? text : isoDate(text, format as 'dayFirst')));
    case 'array':
    case 'json':
      return typeof cell === 'object' ? { value: cell as unknown as Value } : readList(place, text);
    default:
      return parse(place, text);
  }
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
