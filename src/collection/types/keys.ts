/** Keys that are made of others: texts that sort as what they stand for, one part after the other. */

/** A part of any length, so that what ends here sorts before what goes on. */
export function keyPart(text: string): string {
  return `${text.replaceAll('\u0001', '\u0001\u0002')}\u0001\u0001`;
}

/** A count, so that fewer come first. */
export function keyCount(count: number): string {
  return String(count).padStart(10, '0');
}
