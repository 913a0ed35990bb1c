/**
 * Numbers as people read them: 1,234.50. Written out here because the browser's own formatter takes as long to wake up
 * as all rows of a page take to draw.
 */

/** With at least and at most so many digits behind the point. */
export function formatDecimal(value: number, least: number, most: number): string {
  const [whole = '', digits = ''] = Math.abs(value).toFixed(most).split('.');
  const shown = digits.replace(/0+$/, '').padEnd(least, '0');
  const sign = value < 0 && /[1-9]/.test(whole + shown) ? '-' : '';
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${shown === '' ? '' : `.${shown}`}`;
}

export const formatNumber = (value: number): string => formatDecimal(value, 0, 0);
export const formatPrice = (value: number): string => formatDecimal(value, 2, 2);

/** `1 row`, `2,500 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
