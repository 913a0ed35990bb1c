/**
 * The Link header (RFC 8288) of a page. `next` continues after the last row by filters on the order keys, so that deep
 * pages cost as much as the first. If filters cannot express that, it uses an offset.
 */

import { MAX_ECHOED_LENGTH } from '../base/limits/http.ts';
import { can } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { printCondition, printQuery } from '../dialect/print.ts';
import type { Condition, FieldPath, Query, Test } from '../dialect/tree.ts';
import type { ReadResult } from '../engine/engine.ts';
import { type Expression, namedField, type OrderKey, type ReadPlan } from '../plan/types.ts';

export interface PageRead {
  /** Path and query as sent. */
  readonly url: string;
  readonly query: Query;
  /** The arguments of a call, as sent. */
  readonly arguments?: string;
  readonly plan: ReadPlan;
  readonly returned: number;
  readonly total: number | undefined;
  /** The text forms of the last row's order keys, if available. */
  readonly end: ReadResult['end'];
}

/** A link that is too long for clients uses an offset, or is omitted. */
export function linkHeader(page: PageRead): string | undefined {
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
  const isFirst = plan.offset === 0 && !query.conditions.some(isAfter);
  let links = `<${isFirst ? withAdded(page) : urlOf(page, withOffset(withoutAfter(query), 0))}>; rel="first"`;
  if (plan.offset > 0) {
    links += `, <${urlOf(page, withOffset(query, Math.max(0, plan.offset - limit)))}>; rel="prev"`;
  }
  const hasMore = returned === limit && (total === undefined || plan.offset + returned < total);
  if (hasMore) links += `, <${nextUrl(page, isFirst, plan.offset + limit)}>; rel="next"`;
  if (plan.count === 'exact' && total !== undefined && total > 0) {
    links += `, <${urlOf(page, withOffset(query, (Math.ceil(total / limit) - 1) * limit))}>; rel="last"`;
  }
  return links;
}

/** A counted list continues by offset, any other by its keys. */
function nextUrl(page: PageRead, isFirst: boolean, offset: number): string {
  const { query, plan, end } = page;
  const keys = plan.count === undefined && end !== undefined ? keysOf(plan, end) : undefined;
  if (keys === undefined) return urlOf(page, withOffset(query, offset));
  const condition: Condition = { kind: 'group', joiner: 'and', negated: false, terms: [after(keys)], after: true };
  // The first page only appends the condition.
  if (isFirst) return withAdded(page, printCondition(condition));
  const rest = withoutAfter(query);
  return urlOf(page, { ...withOffset(rest, 0), conditions: [...rest.conditions, condition] });
}

/** The URL as sent, with its language and another parameter. */
function withAdded(page: PageRead, parameter?: string): string {
  const { url } = page;
  const language = LANGUAGE.test(url) ? undefined : languageOf(page);
  const added = [language, parameter].filter((part) => part).join('&');
  return added === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${added}`;
}

function isAfter(condition: Condition): boolean {
  return condition.kind === 'group' && condition.after === true;
}

/** Removes the condition of an earlier `next`: the new one implies it. */
function withoutAfter(query: Query): Query {
  return { ...query, conditions: query.conditions.filter((condition) => !isAfter(condition)) };
}

function urlOf(page: PageRead, query: Query): string {
  const parts = [page.arguments, languageOf(page), printQuery(query)];
  return `${page.url.split('?')[0]}?${parts.filter((part) => part).join('&')}`;
}

const LANGUAGE = /[?&](lang=[^&.]*)(?=&|$)/;

/** The parameter that names the language of the request, also if a header did. A call may have one of this name. */
function languageOf({ url, query, arguments: given }: PageRead): string | undefined {
  const named = LANGUAGE.exec(url)?.[1];
  if (named !== undefined) return given?.split('&').includes(named) === true ? undefined : named;
  return query.language === undefined || given !== undefined ? undefined : `lang=${query.language}`;
}

function withOffset({ offset: _, ...query }: Query, offset: number): Query {
  return offset === 0 ? query : { ...query, offset };
}

interface PassedKey {
  readonly path: FieldPath;
  readonly order: OrderKey;
  readonly value: Value;
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
  try {
    type.read(value);
    return true;
  } catch {
    return false;
  }
}

/**
 * Rows after a given one: at least equal in the first key, and greater in it or after in the rest. In this form an
 * engine can seek to the value instead of testing all earlier rows.
 */
function after(keys: readonly PassedKey[]): Condition {
  const [{ path, order, value }, ...rest] = keys as readonly [PassedKey, ...PassedKey[]];
  if (value === null) {
    const sameNull = group('and', [
      comparison(path, { kind: 'is', value: 'null' }),
      ...(rest.length > 0 ? [after(rest)] : []),
    ]);
    return order.nulls === 'last'
      ? sameNull
      : group('or', [sameNull, comparison(path, { kind: 'is', value: 'not_null' })]);
  }
  const later = comparison(path, valueTest(order.descending ? 'lt' : 'gt', value));
  const onwards =
    rest.length === 0
      ? later
      : group('and', [
          comparison(path, valueTest(order.descending ? 'lte' : 'gte', value)),
          group('or', [later, after(rest)]),
        ]);
  return order.nulls === 'last' ? group('or', [onwards, comparison(path, { kind: 'is', value: 'null' })]) : onwards;
}

function group(joiner: 'and' | 'or', terms: readonly Condition[]): Condition {
  return terms.length === 1 ? terms[0]! : { kind: 'group', joiner, negated: false, terms };
}

function comparison(field: FieldPath, test: Test): Condition {
  return { kind: 'comparison', field, negated: false, test };
}

function valueTest(operator: 'gt' | 'gte' | 'lt' | 'lte', value: Value): Test {
  return { kind: 'value', operator, value: String(value) };
}
