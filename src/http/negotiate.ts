/** Selects the media type of the answer by Accept, with PostgREST's rules. */
import { ApiError } from '../base/errors.ts';
import { MAX_MEDIA_RANGES } from '../base/limits/http.ts';
import { memoizeText } from '../base/memo.ts';
import { FACETS_MEDIA_TYPE } from '../dialect/facets.ts';

export interface Media {
  readonly format: 'json' | 'csv' | 'ndjson';
  /** The client expects one object, not a list. */
  readonly singular: boolean;
  readonly stripNulls: boolean;
  /** For CSV: a byte order mark, and escaped formulas. */
  readonly bom: boolean;
  readonly noFormulas: boolean;
  readonly contentType: string;
}

const PLAIN = { singular: false, stripNulls: false, bom: false, noFormulas: false };

function media(contentType: string, format: Media['format'], what: Partial<Media> = {}): Media {
  return { format, ...PLAIN, ...what, contentType: `${contentType}; charset=utf-8` };
}

export const JSON_MEDIA = media('application/json', 'json');
export const NDJSON_MEDIA = media('application/x-ndjson', 'ndjson');
const ONE = { singular: true };
const STRIP = { stripNulls: true };
const JSON_OF_ONE = media('application/json', 'json', ONE);
const STRIPPED = media('application/vnd.pgrst.array+json;nulls=stripped', 'json', STRIP);
const SINGULAR = media('application/vnd.pgrst.object+json', 'json', ONE);
const SINGULAR_STRIPPED = media('application/vnd.pgrst.object+json;nulls=stripped', 'json', { ...ONE, ...STRIP });

/** The URL of a row always gives one object. */
export function asSingular(media: Media): Media {
  if (media === JSON_MEDIA) return JSON_OF_ONE;
  return media === STRIPPED ? SINGULAR_STRIPPED : media;
}

/** The media type with and without parameters. */
type Offer = { readonly plain: Media } & { readonly [Name in Parameter]?: Media };
const PARAMETERS = ['nulls=stripped', 'spreadsheet=true', 'bom=true'] as const;
type Parameter = (typeof PARAMETERS)[number];

const ARRAY: Offer = { plain: JSON_MEDIA, 'nulls=stripped': STRIPPED };
const OBJECT: Offer = { plain: SINGULAR, 'nulls=stripped': SINGULAR_STRIPPED };

const AVAILABLE: Readonly<Record<string, Offer>> = {
  '*/*': { plain: JSON_MEDIA },
  'application/json': { plain: JSON_MEDIA },
  'application/vnd.pgrst.array': ARRAY,
  'application/vnd.pgrst.array+json': ARRAY,
  'application/vnd.pgrst.object': OBJECT,
  'application/vnd.pgrst.object+json': OBJECT,
  'text/csv': {
    plain: media('text/csv', 'csv'),
    'bom=true': media('text/csv;bom=true', 'csv', { bom: true }),
    'spreadsheet=true': media('text/csv;spreadsheet=true', 'csv', { bom: true, noFormulas: true }),
  },
  'application/x-ndjson': { plain: NDJSON_MEDIA },
};

export const MEDIA_TYPES: readonly string[] = Object.keys(AVAILABLE);
/** All media types of answers. */
export const ANSWER_MEDIA: readonly Media[] = [
  ...new Set(Object.values(AVAILABLE).flatMap((offer) => Object.values(offer))),
];

/** The media type of a feed, which only lists have. */
export const EVENT_STREAM = 'text/event-stream';

/** The media type of a list with facets. */
export const FACETS_MEDIA = media(FACETS_MEDIA_TYPE, 'json');

/** Whether the client prefers a feed, or facets. */
export function acceptsEvents(accept: string | null): boolean {
  return isFirst(accept, EVENT_STREAM);
}

export function acceptsFacets(accept: string | null): boolean {
  return isFirst(accept, FACETS_MEDIA_TYPE);
}

function isFirst(accept: string | null, type: string): boolean {
  return accept !== null && parseRange(accept.split(',', 1)[0]!).type === type;
}

/** Whether the client prefers this media type to those of rows. */
export function prefersMedia(accept: string | null, mediaType: string): boolean {
  const ranges = (accept ?? '*/*').split(',', MAX_MEDIA_RANGES).map(parseRange);
  ranges.sort((one, other) => other.weight - one.weight);
  const matches = (type: string) =>
    type === mediaType || mediaType === ANY || type === ANY || type === `${mediaType.split('/')[0]}/*`;
  const first = ranges.find(({ type }) => matches(type) || Object.hasOwn(AVAILABLE, type));
  return first !== undefined && matches(first.type);
}

const ANY = '*/*';

export function negotiate(accept: string | null): Media {
  return accept === null ? JSON_MEDIA : mediaIn(accept);
}

const mediaIn = memoizeText((accept): Media => {
  const ranges = accept.split(',', MAX_MEDIA_RANGES).map(parseRange);
  ranges.sort((one, other) => other.weight - one.weight);
  for (const { type, parameters } of ranges) {
    if (!Object.hasOwn(AVAILABLE, type)) continue;
    const offer = AVAILABLE[type]!;
    const parameter = PARAMETERS.find((name) => offer[name] !== undefined && parameters.includes(name));
    return parameter === undefined ? offer.plain : offer[parameter]!;
  }
  throw new ApiError('PGRST107', `None of these media types are available: ${accept}`, {
    hint: `Available: ${MEDIA_TYPES.join(', ')}.`,
  });
});

function parseRange(range: string): { type: string; parameters: readonly string[]; weight: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, parameters, weight: weight === undefined ? 1 : Number.parseFloat(weight) || 0 };
}
