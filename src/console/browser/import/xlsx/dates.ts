/** Dates in a workbook: numbers of days with a date format (ECMA-376 part 1, 18.8.30 and 18.17.4.1). */

/** Numbers of built-in formats that show a date or a time. */
const BUILT_IN = [
  14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51, 52, 53, 54, 55, 56,
  57, 58,
];
const MS_PER_DAY = 86_400_000;
/** Day 0 of Excel. Excel treats 1900 as a leap year, so that days before March 1900 are off by one. */
const SINCE_1900 = Date.UTC(1899, 11, 30);
const SINCE_1904 = Date.UTC(1904, 0, 1);
const FIRST_OF_MARCH_1900 = 61;

export function isDateFormat(number: number, code: string | undefined): boolean {
  if (code === undefined) return BUILT_IN.includes(number);
  // Removes quoted, escaped and bracketed parts (colour, currency, language), but keeps [h], which means hours.
  const signs = code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]/gi, '').split(';')[0]!;
  return /[ymdhs]/i.test(signs) && !/general/i.test(signs);
}

/** Formats a day number as `2024-12-31`, `2024-12-31T08:30:00`, or `08:30:00` if it has no day. */
export function dateText(days: number, isSince1904: boolean): string {
  const rounded = Math.round(days * 86_400_000) / MS_PER_DAY;
  const shifted = !isSince1904 && rounded >= 1 && rounded < FIRST_OF_MARCH_1900 ? rounded + 1 : rounded;
  const date = new Date((isSince1904 ? SINCE_1904 : SINCE_1900) + Math.round(shifted * MS_PER_DAY));
  if (Number.isNaN(date.getTime())) return String(days);
  const [day = '', time = ''] = date
    .toISOString()
    .replace(/(?:\.000)?Z$/, '')
    .split('T');
  if (days < 1 && days > 0 && !isSince1904) return time;
  return time === '00:00:00' ? day : `${day}T${time}`;
}
