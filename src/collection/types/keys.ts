/** Composite sort keys: texts that sort like the values they encode, part by part. */

/** A part of any length; a prefix sorts before its continuation. */
export function keyPart(text: string): string {
  return `${text.replaceAll('\u0001', '\u0001\u0002')}\u0001\u0001`;
}

/** A count that sorts numerically. */
export function keyCount(count: number): string {
  return String(count).padStart(10, '0');
}
