/** The body of an answer: how its rows are encoded for the media type the client accepts. */
import type { Encoding } from '../encode/encoding.ts';
import type { Media } from '../http/negotiate.ts';
import { oncePer } from '../once-per.ts';
import { computedNumbers } from '../plan/computed.ts';
import type { OutputColumn } from '../plan/types.ts';

const namesOf = oncePer((columns: readonly OutputColumn[]): readonly string[] => columns.map(({ name }) => name));

export function encodingOf(media: Media, columns: readonly OutputColumn[]): Encoding {
  const { format, stripNulls, singular } = media;
  return { format, stripNulls, singular, columns: namesOf(columns), numbers: computedNumbers(columns) };
}

/** From here on it pays to encode a text once. */
const LONG = 8 * 1024;
const encoder = new TextEncoder();
const page = new Uint8Array(256 * 1024);

/**
 * A long text in UTF-8, both for its tag and to be sent, where otherwise each would encode it for itself, into memory that is
 * not at hand. There is one page for all: what is on it must be sent or copied before the next text is.
 */
export function encodedOnce(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length < LONG || text.length > page.length) return undefined;
  const { read, written } = encoder.encodeInto(text, page);
  return read === text.length ? page.subarray(0, written) : undefined;
}
