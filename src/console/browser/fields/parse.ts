/** Parses texts of people into values, by the rules that `catalogue import` has as well (`src/import`). */
import type { ApiError } from '../../../base/errors.ts';
import { parseJson } from '../../../collection/exact-json.ts';
import { cellReader, Notations } from '../../../import/cells.ts';
import { type ColumnNotation, type DefaultNotation, type Notation, notationOf } from '../../../import/notation.ts';
import { type Field, isDecimal, isNumeric, isText, type Value } from '../api/catalogue.ts';
import type { Problem } from '../api/errors.ts';
import { explain, explainProblem } from '../api/explain.ts';
import { locale } from '../i18n/locale.ts';
import { formatDigits, localMark } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { readTime } from './dates.ts';
import type { FieldPlace, Parsed } from './kind.ts';

/** Whether the month comes before the day in the reader's language. */
function isMonthFirst(): boolean {
  const parts = new Intl.DateTimeFormat(locale).formatToParts().map(({ type }) => type);
  return parts.indexOf('month') < parts.indexOf('day');
}

/** The notation of the reader's language, for cells that do not show one. */
const localNotation = (): DefaultNotation => ({
  number: localMark(),
  date: isMonthFirst() ? 'monthFirst' : 'dayFirst',
});

/** Notations of numbers and dates that a person chose, by field. */
export type Formats = Readonly<Record<string, Notation>>;

/** The notations of the columns of a file with this separator, or of a paste: what their cells show, or a choice. */
export function notationsOf(
  separator: string,
  fields: readonly (Field | undefined)[],
  rows: Iterable<readonly unknown[]>,
  formats: Formats,
): Notations {
  const notations = new Notations(() => separator, localNotation());
  for (const cells of rows) notations.learn(fields, cells);
  for (const field of fields) {
    const notation = field && notations.of(field);
    if (notation !== undefined) notation.chosen = formats[field!.name];
  }
  return notations;
}

/** Parses a text in the notation of its column, or of the reader. */
export function parseCell({ field }: FieldPlace, text: string, notation?: ColumnNotation): Parsed {
  try {
    const read = cellReader(field, notation ?? notationOf(field, localNotation()));
    const isTrimmed = !isText(field) || field.rules.oneOf !== undefined;
    return parsePlain(field, readTime(field, read?.(text) ?? (isTrimmed ? text.trim() : text)));
  } catch (error) {
    return { problem: explain(error) };
  }
}

/** Converts text in the service's notation into a value, and checks the rules of the field before the request. */
export function parsePlain(field: Field, plain: string): Parsed {
  if (isNumeric(field) && !isDecimal(field) && /\.\d*[1-9]/.test(plain)) return { problem: t.errors.wholeNumbers };
  try {
    const digits = isNumeric(field) && !isDecimal(field) ? plain.replace(/\.0*$/, '') : plain;
    const value = returnedValue(field, field.type.store(digits));
    const problem = brokenRule(field, value);
    return problem === undefined ? { value } : { problem };
  } catch (error) {
    const { code } = error as ApiError;
    if (isNumeric(field) && code === '22P02')
      return { problem: t.errors[isDecimal(field) ? 'notANumber' : 'notAWholeNumber'](plain) };
    return { problem: code === undefined ? explain(error) : explainProblem({ code, value: plain } as Problem, field) };
  }
}

/** A stored value as the service returns it: as text if JavaScript would lose digits. */
export function returnedValue(field: Field, value: Value): Value {
  if (typeof value === 'boolean' || isText(field)) return value;
  if (!isNumeric(field)) return parseJson(field.type.json(value)) as Value;
  const printed = field.type.print(value);
  return String(Number(printed)) === printed ? Number(printed) : printed;
}

/** Patterns are left to the service. */
function brokenRule({ rules }: Field, value: Value): string | undefined {
  const { minimum, maximum, maxLength, oneOf } = rules;
  const number = typeof value === 'number' ? value : undefined;
  if (number !== undefined && typeof minimum === 'number' && number < minimum)
    return t.errors.atLeast(formatDigits(String(minimum), 0));
  if (number !== undefined && typeof maximum === 'number' && number > maximum)
    return t.errors.atMost(formatDigits(String(maximum), 0));
  if (maxLength !== undefined && [...String(value)].length > maxLength) return t.errors.maxLength(maxLength);
  if (oneOf !== undefined && !oneOf.some((each) => String(each) === String(value)))
    return t.errors.oneOf(oneOf.join(', '));
  return undefined;
}
