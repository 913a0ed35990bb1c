/** Reads dates as people write them: 31.12.2026, 31/12/26, 12/31/2026, Dec 31, 2026 and 31. Dezember 2026. */

export type DateOrder = 'dayFirst' | 'monthFirst';

/** A year of two digits follows a point or a slash: 26-05-04 may begin with the year. */
const DATE = /^\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4}|(?<!-)\d{2})(?=$|[ T,])/;
/** A day, the name of a month and a year; the name may be first. */
const NAMED =
  /^\s*(?:(?<day>\d{1,2})\.?\s*)?(?<month>\p{L}{3,9})\.?\s+(?:(?<later>\d{1,2}),?\s+)?(?<year>\d{4})(?=$|[ T,])/u;
/** English and German, whole or in a short form. */
const MONTHS =
  /^(?:(jan(?:uary?)?)|(feb(?:r(?:uary?)?)?)|(mar(?:ch)?|märz?|mrz|maerz)|(apr(?:il)?)|(ma[iy])|(jun[ei]?)|(jul[iy]?)|(aug(?:ust)?)|(sep(?:t(?:ember)?)?)|(o[ck]t(?:ober)?)|(nov(?:ember)?)|(de[cz](?:ember)?))$/i;
/** A time after a date, as browsers show it: `, 8:30 PM`. */
const TIME = /^(\d{4}-\d\d-\d\d),?\s+(?:at |um )?(\d{1,2}):(\d\d)(:\d\d)?\s*([ap])?\.?(?:m\.?)?$/i;
/** Two digits from here on are of the previous century, as in POSIX. */
const FIRST_YEAR_OF_LAST_CENTURY = 69;

/** Which order a cell shows for its column: 03/04/2026 may be in April or in March. */
export function orderOf(cell: string): DateOrder | 'unclear' | undefined {
  const [, first, mark, second] = DATE.exec(cell) ?? [];
  if (first === undefined) return undefined;
  if (Number(first) > 12 || mark === '.') return 'dayFirst';
  if (first === second) return undefined;
  return Number(second) > 12 ? 'monthFirst' : 'unclear';
}

/** Writes a date with the year first. Other texts stay as they are. */
export function isoDate(text: string, order: DateOrder): string {
  const given = text.trim();
  const iso = given
    .replace(DATE, (_all, first: string, _mark, second: string, year: string) => {
      const [day, month] = order === 'dayFirst' ? [first, second] : [second, first];
      return printDate(fullYear(year), Number(month), day);
    })
    .replace(NAMED, (all, ...rest) => {
      const { day, month, later, year } = rest.at(-1) as Readonly<Record<string, string>>;
      const names = MONTHS.exec(month!) ?? [];
      const number = names.findIndex((name, at) => at > 0 && name !== undefined);
      const isDate = number > 0 && (day === undefined) !== (later === undefined);
      return isDate ? printDate(year!, number, day ?? later!) : all;
    });
  if (iso === given) return given;
  return iso.replace(TIME, (_all, date: string, hour: string, minute: string, second = '', half?: string) => {
    const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
    return `${date} ${String(hours).padStart(2, '0')}:${minute}${second}`;
  });
}

const printDate = (year: string, month: number, day: string): string =>
  `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;

export function fullYear(year: string): string {
  if (year.length > 2) return year;
  return `${Number(year) < FIRST_YEAR_OF_LAST_CENTURY ? 20 : 19}${year}`;
}
