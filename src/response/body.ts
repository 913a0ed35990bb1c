/** The body of an answer: rows in the media type the client accepts. */
import type { Row } from '../collection/value.ts';
import { type Encoding, encodeRows, shownRows } from '../encode/encoding.ts';
import type { Media } from '../http/negotiate.ts';
import { notOne } from '../plan/terms.ts';
import type { OutputColumn } from '../plan/types.ts';

/** The names of a list of columns; most requests have the same list. */
const columnNames = new WeakMap<readonly OutputColumn[], readonly string[]>();

export function encodingOf(media: Media, columns: readonly OutputColumn[]): Encoding {
  let names = columnNames.get(columns);
  if (names === undefined) {
    names = columns.map(({ name }) => name);
    columnNames.set(columns, names);
  }
  return { format: media.format, stripNulls: media.stripNulls, columns: names };
}

export function renderRows(rows: readonly Row[], encoding: Encoding, singular: boolean): string {
  if (!singular || encoding.format !== 'json') return encodeRows(rows, encoding);
  if (rows.length !== 1) throw notOne(rows.length);
  return JSON.stringify(shownRows(rows, encoding)[0]);
}
