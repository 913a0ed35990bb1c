/** How many there are of something, in words: 1 product, 2 products. */
export function amount(count: number, what = 'product'): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
