/** Accept: the media type of the answer, by the client's weights, as PostgREST reads them. */
import { Refusal } from '../errors.ts';

export interface Media {
  readonly format: 'json' | 'csv' | 'ndjson';
  /** The client reads one object, not a list. */
  readonly singular: boolean;
  readonly stripNulls: boolean;
  readonly contentType: string;
}

function media(contentType: string, format: Media['format'], singular = false, stripNulls = false): Media {
  return { format, singular, stripNulls, contentType: `${contentType}; charset=utf-8` };
}

export const JSON_MEDIA = media('application/json', 'json');
const JSON_OF_ONE = media('application/json', 'json', true);
const SINGULAR = media('application/vnd.pgrst.object+json', 'json', true);
const SINGULAR_STRIPPED = media('application/vnd.pgrst.object+json;nulls=stripped', 'json', true, true);
const STRIPPED = media('application/vnd.pgrst.array+json;nulls=stripped', 'json', false, true);
const CSV = media('text/csv', 'csv');
const NDJSON = media('application/x-ndjson', 'ndjson');

/** A product under its own URL is one object, whatever a list would have been. */
export function ofOne(media: Media): Media {
  if (media === JSON_MEDIA) return JSON_OF_ONE;
  return media === STRIPPED ? SINGULAR_STRIPPED : media;
}

/** What a media type is answered with: as it is, and with `nulls=stripped`. */
const AVAILABLE: Readonly<Record<string, readonly [plain: Media, stripped: Media]>> = {
  '*/*': [JSON_MEDIA, JSON_MEDIA],
  'application/json': [JSON_MEDIA, JSON_MEDIA],
  'application/vnd.pgrst.array': [JSON_MEDIA, STRIPPED],
  'application/vnd.pgrst.array+json': [JSON_MEDIA, STRIPPED],
  'application/vnd.pgrst.object': [SINGULAR, SINGULAR_STRIPPED],
  'application/vnd.pgrst.object+json': [SINGULAR, SINGULAR_STRIPPED],
  'text/csv': [CSV, CSV],
  'application/x-ndjson': [NDJSON, NDJSON],
};

export const MEDIA_TYPES: readonly string[] = Object.keys(AVAILABLE);
/** Everything that an answer can be. */
export const ANSWER_MEDIA: readonly Media[] = [...new Set(Object.values(AVAILABLE).flat())];

export function negotiate(accept: string | null): Media {
  if (accept === null || accept === '*/*' || accept === 'application/json') return JSON_MEDIA;
  const ranges = accept.split(',').map(parseRange);
  ranges.sort((one, other) => other.weight - one.weight);
  for (const { type, stripped } of ranges) {
    if (Object.hasOwn(AVAILABLE, type)) return AVAILABLE[type]![stripped ? 1 : 0];
  }
  throw new Refusal('PGRST107', `None of these media types are available: ${accept}`, {
    hint: `Available: ${MEDIA_TYPES.join(', ')}.`,
  });
}

function parseRange(range: string): { type: string; stripped: boolean; weight: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return {
    type,
    stripped: parameters.includes('nulls=stripped'),
    weight: weight === undefined ? 1 : Number.parseFloat(weight) || 0,
  };
}
