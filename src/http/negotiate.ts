/** Selects the media type of the answer by Accept, with PostgREST's rules. */
import { ApiError } from '../base/errors.ts';
import { MAX_MEDIA_RANGES } from '../base/limits/http.ts';
import { memoizeText } from '../base/memo.ts';
import type { MediaHandler } from '../collection/draft.ts';
import { FACETS_MEDIA_TYPE } from '../dialect/order.ts';
import type { Encoding } from '../encode/encoding.ts';
import { WORKBOOK_TYPE } from '../encode/workbook.ts';

export interface Media {
  readonly format: Encoding['format'];
  /** The aggregate that prints the rows, if the format is that of the database. */
  readonly handler?: MediaHandler;
  /** The client expects one object, not a list. */
  readonly singular: boolean;
  readonly stripNulls: boolean;
  /** For CSV: a byte order mark, escaped formulas, the character between cells, and decimal commas. */
  readonly bom: boolean;
  readonly noFormulas: boolean;
  readonly separator: string;
  readonly decimalComma: boolean;
  readonly contentType: string;
}

const PLAIN = {
  singular: false,
  stripNulls: false,
  bom: false,
  noFormulas: false,
  separator: ',',
  decimalComma: false,
};

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

/** The media type for some parameters; undefined if a parameter has a value that is not available. */
type Offer = (parameters: readonly string[]) => Media | undefined;

const only =
  (media: Media): Offer =>
  () =>
    media;
const array: Offer = (parameters) => (parameters.includes('nulls=stripped') ? STRIPPED : JSON_MEDIA);
const object: Offer = (parameters) => (parameters.includes('nulls=stripped') ? SINGULAR_STRIPPED : SINGULAR);

/** The parameters of CSV, without quotes. */
const CSV_PARAMETERS: Readonly<Record<string, Partial<Media>>> = {
  'bom=true': { bom: true },
  'spreadsheet=true': { bom: true, noFormulas: true },
  'delimiter=,': {},
  'delimiter=;': { separator: ';' },
  'decimal=.': {},
  'decimal=,': { decimalComma: true },
};
/** Other values of these are not ignored: a reader would take the cells for something else. */
const STRICT = /^(delimiter|decimal)=/;

/** A header in which `;` or `,` is a value. */
const UNQUOTED = /(?:delimiter|decimal)=\s*[;,]/i;

function csv(contentType: string, separator: string): Offer {
  return (parameters) => {
    const known = parameters.filter((each) => Object.hasOwn(CSV_PARAMETERS, each));
    const isTsv = separator === '\t';
    if (parameters.some((each) => STRICT.test(each) && (!known.includes(each) || (isTsv && each.startsWith('del')))))
      return undefined;
    const what = Object.assign({ separator }, ...known.map((each) => CSV_PARAMETERS[each]));
    const shown = known.map((each) => `;${each.replace(/=([,;.])$/, '="$1"')}`);
    return media(`${contentType}${shown.join('')}`, 'csv', what);
  };
}

const AVAILABLE: Readonly<Record<string, Offer>> = {
  '*/*': only(JSON_MEDIA),
  'application/json': only(JSON_MEDIA),
  'application/vnd.pgrst.array': array,
  'application/vnd.pgrst.array+json': array,
  'application/vnd.pgrst.object': object,
  'application/vnd.pgrst.object+json': object,
  'text/csv': csv('text/csv', ','),
  'text/tab-separated-values': csv('text/tab-separated-values', '\t'),
  'application/x-ndjson': only(NDJSON_MEDIA),
  'application/geo+json': only(media('application/geo+json', 'geojson')),
  [WORKBOOK_TYPE]: only({ ...media(WORKBOOK_TYPE, 'xlsx'), contentType: WORKBOOK_TYPE }),
};

export const MEDIA_TYPES: readonly string[] = Object.keys(AVAILABLE);
export const ANSWER_MEDIA: readonly string[] = [
  ...new Set(
    Object.values(AVAILABLE).flatMap((offer) =>
      [[], ['nulls=stripped'], ...Object.keys(CSV_PARAMETERS).map((each) => [each])].flatMap(
        (parameters) => offer(parameters)?.contentType ?? [],
      ),
    ),
  ),
];

/** The media type of a feed, which only lists have. */
export const EVENT_STREAM = 'text/event-stream';

export const FACETS_MEDIA = media(FACETS_MEDIA_TYPE, 'json');

/** Whether the client prefers a feed, or facets. */
export function acceptsEvents(accept: string | null): boolean {
  return isFirst(accept, EVENT_STREAM);
}

export function acceptsFacets(accept: string | null): boolean {
  return isFirst(accept, FACETS_MEDIA_TYPE);
}

function isFirst(accept: string | null, type: string): boolean {
  return accept !== null && parseRange(splitOutsideQuotes(accept, ',')[0] ?? '').type === type;
}

/** Whether the client prefers this media type to those of rows. */
export function prefersMedia(accept: string | null, mediaType: string): boolean {
  const ranges = rangesIn(accept ?? '*/*');
  const matches = (type: string) =>
    type === mediaType || mediaType === ANY || type === ANY || type === `${mediaType.split('/')[0]}/*`;
  const first = ranges.find(({ type }) => matches(type) || Object.hasOwn(AVAILABLE, type));
  return first !== undefined && matches(first.type);
}

const ANY = '*/*';

/** The media type of an aggregate of the database, if the client prefers it to the built-in ones. */
export function handledMedia(accept: string | null, handlers: readonly MediaHandler[]): Media | undefined {
  const handlerOf = (type: string) => handlers.find(({ mediaType }) => mediaType === type);
  for (const { type } of rangesIn(accept ?? ANY)) {
    const exact = handlerOf(type) ?? (type === ANY ? handlerOf('application/json') : undefined);
    if (exact === undefined && type !== ANY && Object.hasOwn(AVAILABLE, type)) return undefined;
    const handler = exact ?? handlerOf(ANY);
    if (handler !== undefined)
      return { ...JSON_MEDIA, format: 'database', handler, contentType: contentTypeOf(handler.mediaType) };
  }
  return undefined;
}

const WITH_CHARSET = /^text\/(plain|html|xml|csv)$|^application\/(json|geo\+json|openapi\+json|vnd\.pgrst\..*)$/;

/** The content type of a body that the database made. As in PostgREST, types that it does not know have no charset. */
export function contentTypeOf(mediaType: string): string {
  if (mediaType === ANY) return 'application/octet-stream';
  return WITH_CHARSET.test(mediaType) ? `${mediaType}; charset=utf-8` : mediaType;
}

export function negotiate(accept: string | null): Media {
  return accept === null ? JSON_MEDIA : mediaIn(accept);
}

const mediaIn = memoizeText((accept): Media => {
  for (const { type, parameters } of rangesIn(accept)) {
    if (!Object.hasOwn(AVAILABLE, type)) continue;
    const found = AVAILABLE[type]!(parameters);
    if (found !== undefined) return found;
  }
  throw new ApiError('PGRST107', `None of these media types are available: ${accept}`, {
    hint: UNQUOTED.test(accept) ? 'Quote the sign: text/csv;delimiter=";".' : `Available: ${MEDIA_TYPES.join(', ')}.`,
  });
});

/** The media ranges, the preferred ones first. */
function rangesIn(accept: string): readonly MediaRange[] {
  const ranges = splitOutsideQuotes(accept, ',').slice(0, MAX_MEDIA_RANGES).map(parseRange);
  return ranges.sort((one, other) => other.weight - one.weight);
}

function splitOutsideQuotes(text: string, sign: ',' | ';'): readonly string[] {
  return text.match(sign === ',' ? /(?:[^,"]|"[^"]*"?)+/g : /(?:[^;"]|"[^"]*"?)+/g) ?? [];
}

interface MediaRange {
  readonly type: string;
  readonly parameters: readonly string[];
  readonly weight: number;
}

function parseRange(range: string): MediaRange {
  const parts = splitOutsideQuotes(range, ';').map((part) => part.trim().toLowerCase().replaceAll('"', ''));
  const [type = '', ...parameters] = parts;
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, parameters, weight: weight === undefined ? 1 : Number.parseFloat(weight) || 0 };
}
