/**
 * The Link header (RFC 8288) of a page. `next` continues after the last row by filters on the order keys, so that deep
 * pages cost as much as the first. If filters cannot express that, it uses an offset.
 */

import { unlessThrown } from '../base/errors.ts';
import { MAX_ECHOED_LENGTH } from '../base/limits/http.ts';
import { decodePair, type Pair } from '../base/net/query-string.ts';
import { can } from '../collection/types/type.ts';
import { AFTER, isAfter } from '../dialect/logic.ts';
import { encodeValue, printField, printValue } from '../dialect/print.ts';
import type { FieldPath, Query } from '../dialect/tree.ts';
import type { ReadResult } from '../engine/engine.ts';
import { type Expression, namedField, type OrderKey, type ReadPlan } from '../plan/types.ts';

interface PageRead {
  /** Path and query as sent. */
  readonly url: string;
  readonly query: Query;
  /** Whether `lang` is an argument, or a stored query names the language. */
  readonly hasOwnLanguage?: boolean | undefined;
  readonly plan: ReadPlan;
  readonly returned: number;
  readonly total: number | undefined;
  /** The text forms of the last row's order keys, if available. */
  readonly end: ReadResult['end'];
}

/** A link that is too long for clients uses an offset, or is omitted. */
export function linkHeader(page: PageRead): string | undefined {
  if (page.url.length > MAX_ECHOED_LENGTH) return undefined;
  const links = linksOf(page);
  if (links === undefined || links.length <= MAX_ECHOED_LENGTH) return links;
  const counted = linksOf({ ...page, end: undefined });
  return counted !== undefined && counted.length <= MAX_ECHOED_LENGTH ? counted : undefined;
}

function linksOf(page: PageRead): string | undefined {
  const { query, plan, returned, total } = page;
  // A page given only by the Range header has no URL of its own.
  const { limit } = query;
  if (limit === undefined || limit === 0 || plan.limit !== limit || plan.offset !== (query.offset ?? 0))
    return undefined;
  const first = firstUrl(page);
  let links = `<${first}>; rel="first"`;
  if (plan.offset > 0) links += `, <${offsetUrl(page, Math.max(0, plan.offset - limit))}>; rel="prev"`;
  const hasMore = returned === limit && (total === undefined || plan.offset + returned < total);
  if (hasMore) links += `, <${nextUrl(page, first, plan.offset + limit)}>; rel="next"`;
  if (plan.count === 'exact' && total !== undefined && total > 0) {
    links += `, <${offsetUrl(page, (Math.ceil(total / limit) - 1) * limit)}>; rel="last"`;
  }
  return links;
}

/** A counted list continues by offset, any other by its keys. */
function nextUrl(page: PageRead, first: string, offset: number): string {
  const { plan, end } = page;
  const keys = plan.count === undefined && end !== undefined ? keysOf(plan, end) : undefined;
  return keys === undefined
    ? offsetUrl(page, offset)
    : `${first}${first.includes('?') ? '&' : '?'}${AFTER}=${encodeValue(`(${after(keys)})`)}`;
}

/** The URL as sent, unless it may have a parameter that the first page has not. */
function firstUrl(page: PageRead): string {
  const { url, query } = page;
  return query.language === undefined && !CONTINUED.test(url) ? url : urlOf(page, isStart);
}

/** Matches names that `isStart` replaces, empty parameters, and encoded characters. */
const CONTINUED = /[?&](?:&|$|(?:offset|after)(?:[=&]|$))|%/;

function offsetUrl(page: PageRead, offset: number): string {
  return urlOf(page, isOffset, offset === 0 ? undefined : `offset=${offset}`);
}

const isOffset = ([key]: Pair): boolean => key === 'offset';
/** The condition of an earlier `next` goes as well: the new one implies it. */
const isStart = ([key, value]: Pair): boolean => key === 'offset' || isAfter(key, value);

/** The URL as sent, without the parameters that are replaced, with its language and another parameter. */
function urlOf({ url, query, hasOwnLanguage }: PageRead, isReplaced: (pair: Pair) => boolean, added?: string): string {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const sent = mark === -1 ? [] : url.slice(mark + 1).split('&');
  const parameters = sent.filter((pair) => pair !== '' && !isReplaced(decodePair(pair)));
  // A header may have named the language of the request.
  const isNamed =
    hasOwnLanguage === true || query.language === undefined || sent.some((pair) => /^lang=[^.]*$/.test(pair));
  if (!isNamed) parameters.push(`lang=${query.language}`);
  if (added !== undefined) parameters.push(added);
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

interface PassedKey {
  readonly path: FieldPath;
  readonly order: OrderKey;
  readonly value: string | null;
}

/** The order keys with their values in the last row. */
function keysOf({ order }: ReadPlan, values: readonly (string | null)[]): readonly PassedKey[] | undefined {
  const keys = order.flatMap((each, index): PassedKey[] => {
    const field = namedField(each.expression);
    const path = field === undefined ? each.path : { name: field.name, json: [] };
    const value = values[index] ?? null;
    return path === undefined || !isReadable(each.expression, value) ? [] : [{ path, order: each, value }];
  });
  return keys.length === order.length ? keys : undefined;
}

/** Adopted tables may contain values that we would not accept, such as a year before 1. */
function isReadable({ type }: Expression, value: string | null): boolean {
  if (value === null || can(type, 'number') || can(type, 'text')) return true;
  return unlessThrown(() => type.read(value)) !== undefined;
}

/**
 * Rows after a given one: at least equal in the first key, and greater in it or after in the rest. In this form an
 * engine can seek to the value instead of testing all earlier rows.
 */
function after(keys: readonly PassedKey[]): string {
  const [{ path, order, value }, ...rest] = keys as readonly [PassedKey, ...PassedKey[]];
  const field = printField(path);
  if (value === null) {
    const sameNull = group('and', [`${field}.is.null`, ...(rest.length > 0 ? [after(rest)] : [])]);
    return order.nulls === 'last' ? sameNull : group('or', [sameNull, `${field}.is.not_null`]);
  }
  const text = printValue(value);
  const operator = order.descending ? 'lt' : 'gt';
  const later = `${field}.${operator}.${text}`;
  const onwards =
    rest.length === 0 ? later : group('and', [`${field}.${operator}e.${text}`, group('or', [later, after(rest)])]);
  return order.nulls === 'last' ? group('or', [onwards, `${field}.is.null`]) : onwards;
}

function group(joiner: 'and' | 'or', terms: readonly string[]): string {
  return terms.length === 1 ? terms[0]! : `${joiner}(${terms.join(',')})`;
}
