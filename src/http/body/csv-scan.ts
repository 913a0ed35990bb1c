/** Scans a CSV body: counts rows and cells, and finds line ends at which it can be split. */
import { BYTES_PER_SLICE } from '../../base/cooperative.ts';
import { BodyCount } from './body-count.ts';

const QUOTE = 34;
const COMMA = 44;
const NEWLINE = 10;
const RETURN = 13;

export class CsvScan {
  /** Positions after line ends at which slices end. */
  readonly cuts: number[] = [];
  /** The header line is not a row. */
  private readonly count = new BodyCount(-1);
  private at = 0;
  private inQuotes = false;
  /** Whether a following quote opens a quoted text: at the start of a cell, or as a doubled quote. */
  private mayBegin = true;

  constructor(private readonly bytes: Uint8Array) {}

  get isDone(): boolean {
    return this.at >= this.bytes.length;
  }

  advance(): void {
    const { bytes } = this;
    const end = Math.min(bytes.length, this.at + BYTES_PER_SLICE);
    for (; this.at < end; this.at++) {
      const byte = bytes[this.at]!;
      if (this.inQuotes) {
        this.inQuotes = byte !== QUOTE;
        this.mayBegin = true;
        continue;
      }
      if (byte === QUOTE) this.inQuotes = this.mayBegin;
      else if (byte === COMMA) this.count.value();
      else if (byte === NEWLINE || byte === RETURN) this.line(byte);
      this.mayBegin = byte === COMMA || byte === NEWLINE || byte === RETURN;
    }
  }

  private line(byte: number): void {
    if (byte === RETURN && this.bytes[this.at + 1] === NEWLINE) return;
    this.count.value();
    this.count.row();
    if (this.at + 1 - (this.cuts.at(-1) ?? 0) >= BYTES_PER_SLICE) this.cuts.push(this.at + 1);
  }
}
