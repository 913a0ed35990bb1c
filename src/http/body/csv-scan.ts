/** Scans a CSV body: counts rows and cells, and finds line ends at which it can be split. */
import { BYTES_PER_SLICE, type Task } from '../../base/cooperative.ts';
import { BodyCount } from './body-count.ts';

const QUOTE = 34;
const COMMA = 44;
const NEWLINE = 10;
const RETURN = 13;

/** Returns the positions after line ends at which slices end. */
export function* scanCsv(bytes: Uint8Array): Task<number[]> {
  const cuts: number[] = [];
  // The header line is not a row.
  const count = new BodyCount(-1);
  let inQuotes = false;
  /** Whether a following quote opens a quoted text: at the start of a cell, or as a doubled quote. */
  let mayBegin = true;
  for (let at = 0; at < bytes.length; ) {
    if (at > 0) yield;
    const end = Math.min(bytes.length, at + BYTES_PER_SLICE);
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (inQuotes) {
        inQuotes = byte !== QUOTE;
        mayBegin = true;
        continue;
      }
      if (byte === QUOTE) inQuotes = mayBegin;
      else if (byte === COMMA) count.value();
      else if (byte === NEWLINE || (byte === RETURN && bytes[at + 1] !== NEWLINE)) {
        count.value();
        count.row();
        if (at + 1 - (cuts.at(-1) ?? 0) >= BYTES_PER_SLICE) cuts.push(at + 1);
      }
      mayBegin = byte === COMMA || byte === NEWLINE || byte === RETURN;
    }
  }
  return cuts;
}
