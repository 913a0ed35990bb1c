/** The notation of the numbers and dates of a column: guessed from all its cells, or chosen by the person. */
import { editableNumber } from '../fields/numbers.ts';
import { locale } from '../i18n/locale.ts';

export type NumberFormat = 'point' | 'comma';
export type DateFormat = 'dayFirst' | 'monthFirst';
export type ColumnFormat = NumberFormat | DateFormat;

const THOUSANDS_OR_DECIMALS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;
const DATE = /^\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?=$|[ T,])/;

/** The decimal mark that a cell proves: 1.299 may mean 1.299 or 1299, so it proves nothing. */
function decimalMark(cell: string): '.' | ',' | undefined {
  const text = cell.trim();
  const marks = text.replace(/[^.,]/g, '');
  if (marks === '' || THOUSANDS_OR_DECIMALS.test(text)) return undefined;
  const last = marks.at(-1) as '.' | ',';
  const isRepeated = marks.length > 1 && new Set(marks).size === 1;
  return isRepeated ? (last === '.' ? ',' : '.') : last;
}

/** Guesses by the cells; without proof by the separator of the file, then by the language of the person. */
export function guessNumberFormat(cells: readonly string[], separator: string): NumberFormat {
  const proofs = cells.map(decimalMark);
  const [points, commas] = ['.', ','].map((mark) => proofs.filter((each) => each === mark).length);
  if (points !== commas) return points! > commas! ? 'point' : 'comma';
  return separator === ',' || editableNumber('.') !== ',' ? 'point' : 'comma';
}

export function guessDateFormat(cells: readonly string[]): DateFormat {
  const dates = cells.map((cell) => DATE.exec(cell));
  if (dates.some((parts) => Number(parts?.[1] ?? 0) > 12 || parts?.[2] === '.')) return 'dayFirst';
  if (dates.some((parts) => Number(parts?.[3] ?? 0) > 12)) return 'monthFirst';
  return /^en(-US)?$/.test(locale) ? 'monthFirst' : 'dayFirst';
}

/** Whether a column has cells whose meaning depends on the format. */
export function hasNumberFormat(cells: readonly string[]): boolean {
  return cells.some((cell) => /\d[.,]\d/.test(cell));
}

export function hasDateFormat(cells: readonly string[]): boolean {
  return cells.some((cell) => DATE.test(cell));
}

/** Writes a date with the year first. Other texts stay as they are. */
export function isoDate(text: string, format: DateFormat): string {
  return text.trim().replace(DATE, (_all, first: string, _mark, second: string, year: string) => {
    const [day, month] = format === 'dayFirst' ? [first, second] : [second, first];
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  });
}
