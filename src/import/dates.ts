/** Reads dates as people write them: 31.12.2026, 31/12/2026 and 12/31/2026. */

export type DateOrder = 'dayFirst' | 'monthFirst';

const DATE = /^\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?=$|[ T,])/;

/** Which order a cell shows for its column: 03/04/2026 may be in April or in March. */
export function orderOf(cell: string): DateOrder | 'unclear' | undefined {
  const [, first, mark, second] = DATE.exec(cell) ?? [];
  if (first === undefined) return undefined;
  if (Number(first) > 12 || mark === '.') return 'dayFirst';
  return Number(second) > 12 ? 'monthFirst' : 'unclear';
}

/** Writes a date with the year first. Other texts stay as they are. */
export function isoDate(text: string, order: DateOrder): string {
  return text.trim().replace(DATE, (_all, first: string, _mark, second: string, year: string) => {
    const [day, month] = order === 'dayFirst' ? [first, second] : [second, first];
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  });
}
