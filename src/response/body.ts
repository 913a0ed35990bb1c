/** The body of an answer: how its rows are encoded for the media type the client accepts. */
import type { Encoding } from '../encode/encoding.ts';
import type { Media } from '../http/negotiate.ts';
import { oncePer } from '../once-per.ts';
import type { OutputColumn } from '../plan/types.ts';

const namesOf = oncePer((columns: readonly OutputColumn[]): readonly string[] => columns.map(({ name }) => name));

export function encodingOf(media: Media, columns: readonly OutputColumn[]): Encoding {
  const { format, stripNulls, singular, bom, noFormulas } = media;
  if (format === 'csv') return { format, stripNulls, columns: namesOf(columns), bom, noFormulas };
  return { format, stripNulls, singular, columns: namesOf(columns) };
}
