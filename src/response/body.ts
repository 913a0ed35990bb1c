/** The body of an answer: rows in the media type the client accepts. */
import type { Row } from '../collection/value.ts';
import { type Encoding, encodeRows, shownRows } from '../encode/encoding.ts';
import type { Media } from '../http/negotiate.ts';
import { oncePer } from '../once-per.ts';
import { notOne } from '../plan/terms.ts';
import type { OutputColumn } from '../plan/types.ts';

const namesOf = oncePer((columns: readonly OutputColumn[]): readonly string[] => columns.map(({ name }) => name));

export function encodingOf(media: Media, columns: readonly OutputColumn[]): Encoding {
  const { format, stripNulls, bom, noFormulas } = media;
  if (format === 'csv') return { format, stripNulls, columns: namesOf(columns), bom, noFormulas };
  return { format, stripNulls, columns: namesOf(columns) };
}

export function renderRows(rows: readonly Row[], encoding: Encoding, singular: boolean): string {
  if (!singular || encoding.format !== 'json') return encodeRows(rows, encoding);
  if (rows.length !== 1) throw notOne(rows.length);
  return JSON.stringify(shownRows(rows, encoding)[0]);
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
