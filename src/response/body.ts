/** The body of an answer: rows in the media type the client accepts. */
import type { Row } from '../collection/value.ts';
import { type Encoding, encodeRows, shownRows } from '../encode/encoding.ts';
import type { Media } from '../http/negotiate.ts';
import { oncePer } from '../once-per.ts';
import { notOne } from '../plan/terms.ts';
import type { OutputColumn } from '../plan/types.ts';

const namesOf = oncePer((columns: readonly OutputColumn[]): readonly string[] => columns.map(({ name }) => name));

export function encodingOf(media: Media, columns: readonly OutputColumn[]): Encoding {
  return { format: media.format, stripNulls: media.stripNulls, columns: namesOf(columns) };
}

export function renderRows(rows: readonly Row[], encoding: Encoding, singular: boolean): string {
  if (!singular || encoding.format !== 'json') return encodeRows(rows, encoding);
  if (rows.length !== 1) throw notOne(rows.length);
  return JSON.stringify(shownRows(rows, encoding)[0]);
}
