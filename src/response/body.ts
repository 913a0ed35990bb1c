/** The body of an answer: rows in the media type the client accepts. */
import type { Encoding } from '../encode/encoding.ts';
import type { Media } from '../http/negotiate.ts';
import { oncePer } from '../once-per.ts';
import { notOne } from '../plan/terms.ts';
import type { OutputColumn } from '../plan/types.ts';

const namesOf = oncePer((columns: readonly OutputColumn[]): readonly string[] => columns.map(({ name }) => name));

export function encodingOf(media: Media, columns: readonly OutputColumn[]): Encoding {
  return { format: media.format, stripNulls: media.stripNulls, columns: namesOf(columns) };
}

/** What the client reads: the list, or the one object in it. */
export function bodyOf(list: string, rows: number, { singular, format }: Media): string {
  if (!singular || format !== 'json') return list;
  if (rows !== 1) throw notOne(rows);
  return list.slice(1, -1);
}
