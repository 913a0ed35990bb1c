/** Saves content as a download. */
import { dayOf } from '../fields/dates.ts';

/** Spreadsheets recognize UTF-8 by it. */
export const BYTE_ORDER_MARK = '\uFEFF';

export function downloadBlob(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A file name with the local date: `products-2026-11-16.csv`. */
export function datedName(what: string, extension: string, now = new Date()): string {
  return `${what}-${dayOf(now)}.${extension}`;
}
