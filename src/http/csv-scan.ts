/** The same look over a body in CSV: how many rows and cells it has, and where it can be divided between two of its lines. */
import { BYTES_A_PIECE } from '../in-pieces.ts';
import { BodyCount } from './body-count.ts';

const QUOTE = 34;
const COMMA = 44;
const NEWLINE = 10;
const RETURN = 13;

export class CsvScan {
  /** Where pieces end: after a line end. */
  readonly cuts: number[] = [];
  /** The end of the header's line begins no row yet. */
  private readonly count = new BodyCount(-1);
  private at = 0;
  private inQuotes = false;
  /** Whether a quote that comes next begins a text: at the start of a cell, or doubled, which ends the text and begins it again. */
  private mayBegin = true;

  constructor(private readonly bytes: Uint8Array) {}

  get isDone(): boolean {
    return this.at >= this.bytes.length;
  }

  advance(): void {
    const { bytes } = this;
    const end = Math.min(bytes.length, this.at + BYTES_A_PIECE);
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
    if (this.at + 1 - (this.cuts.at(-1) ?? 0) >= BYTES_A_PIECE) this.cuts.push(this.at + 1);
  }
}
