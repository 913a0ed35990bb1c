/** A count with its noun: 1 row, 2 rows. */
export function amount(count: number, what = 'row'): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
