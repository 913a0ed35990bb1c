/**
 * Removes the metadata of JPEG, PNG, WebP and GIF while the bytes arrive: Exif with its place and time, XMP, IPTC,
 * comments. Colour profiles and the orientation stay. The pixels are not decoded. Bytes that do not fit the format
 * pass, as the decoder decides about them.
 */
import { IMAGE_BYTES_PER_PART, MAX_IMAGE_PARTS } from '../../base/limits/files.ts';
import { say } from '../../base/sentence.ts';
import { notStored, SAVE_AGAIN } from '../errors.ts';
import type { Container, Step } from './container.ts';
import { Gif } from './gif.ts';
import { Jpeg } from './jpeg.ts';
import { Png } from './png.ts';
import { Webp } from './webp.ts';

const SIGNATURE_BYTES = 12;
const TOO_MANY_PARTS = say`the image has more than ${MAX_IMAGE_PARTS} parts, such as segments or chunks`;

function containerOf(head: Buffer): Container | undefined {
  const text = head.toString('latin1', 0, SIGNATURE_BYTES);
  if (text.startsWith('\xff\xd8\xff')) return new Jpeg();
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return new Png();
  if (text.startsWith('GIF8')) return new Gif();
  return text.startsWith('RIFF') && text.endsWith('WEBP') ? new Webp() : undefined;
}

export async function* stripMetadata(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  let filter: Filter | undefined;
  let isKnown = false;
  for await (const piece of bytes) {
    if (isKnown) {
      yield filter?.push(piece) ?? piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (head.length < SIGNATURE_BYTES) continue;
    isKnown = true;
    const container = containerOf(head);
    filter = container && new Filter(container);
    yield filter?.push(head) ?? head;
  }
  yield isKnown ? (filter?.end() ?? new Uint8Array()) : head;
}

/** Applies the steps of a container, whose number is limited: each of them takes time of the event loop. */
class Filter {
  private rest: Buffer = Buffer.alloc(0);
  private step: Step | undefined;
  /** The bytes that the step still concerns. */
  private left = 0;
  private units = 0;
  private received = 0;

  constructor(private readonly container: Container) {}

  push(piece: Uint8Array): Uint8Array {
    this.received += piece.length;
    const maxUnits = MAX_IMAGE_PARTS + this.received / IMAGE_BYTES_PER_PART;
    this.rest = Buffer.concat([this.rest, piece]);
    const output: Uint8Array[] = [];
    while (this.rest.length > 0) {
      if (this.step === undefined) {
        this.step = this.container.next(this.rest);
        if (this.step === undefined) break;
        if (++this.units > maxUnits) throw notStored('CAT415', TOO_MANY_PARTS, SAVE_AGAIN);
        this.left = this.step.length;
      }
      const { step } = this;
      if (step.kind === 'replace' && this.rest.length < step.length) break;
      const part = this.rest.subarray(0, Math.min(this.left, this.rest.length));
      output.push(apply(step, part));
      this.rest = this.rest.subarray(part.length);
      this.left -= part.length;
      if (this.left === 0) this.step = undefined;
    }
    return Buffer.concat(output);
  }

  /** The bytes of a unit that broke off before its header was complete. */
  end(): Uint8Array {
    return this.step === undefined ? this.rest : new Uint8Array();
  }
}

function apply(step: Step, part: Buffer): Uint8Array {
  if (step.kind === 'copy') return part;
  if (step.kind === 'replace') return step.by(part);
  return new Uint8Array(step.kind === 'zero' ? part.length : 0);
}
