/**
 * Link (RFC 8288): the neighbours of a page. `next` continues after the last row by filters on the order keys, so that
 * a deep page costs what the first one does; where that cannot be said in filters, it counts rows.
 */
import type { Field } from '../collection/declaration.ts';
import type { Row, Value } from '../collection/value.ts';
import { printCondition, printQuery } from '../dialect/print.ts';
import type { Condition, Query, Test } from '../dialect/tree.ts';
import type { ReadResult } from '../engine/engine.ts';
import { MAX_ECHOED_LENGTH } from '../limits.ts';
import { keyColumns, keyValues } from '../plan/page-end.ts';
import type { OrderKey, ReadPlan } from '../plan/types.ts';

export interface PageRead {
  /** Path and query as sent. */
  readonly url: string;
  readonly query: Query;
  readonly plan: ReadPlan;
  readonly returned: number;
  readonly result: ReadResult;
}

/** Links that would be too long for clients to read count rows instead of naming values, or are left out. */
export function linkHeader(page: PageRead): string | undefined {
  const links = linksOf(page, true);
  if (links === undefined || links.length <= MAX_ECHOED_LENGTH) return links;
  const counted = linksOf(page, false);
  return counted !== undefined && counted.length <= MAX_ECHOED_LENGTH ? counted : undefined;
}

function linksOf(page: PageRead, byKeys: boolean): string | undefined {
  const { url, query, plan, returned, result } = page;
  const { total } = result;
  // A page that only the Range header asked for has no URL of its own.
  const { limit } = query;
  if (limit === undefined || limit === 0 || plan.limit !== limit || plan.offset !== (query.offset ?? 0))
    return undefined;
  const isFirst = plan.offset === 0 && !query.conditions.some(isAfter);
  let links = `<${isFirst ? url : urlOf(url, withOffset(withoutAfter(query), 0))}>; rel="first"`;
  if (plan.offset > 0) {
    links += `, <${urlOf(url, withOffset(query, Math.max(0, plan.offset - limit)))}>; rel="prev"`;
  }
  const hasMore = returned === limit && (total === undefined || plan.offset + returned < total);
  if (hasMore) {
    // A counted list keeps counting the same rows on its next page; any other continues by its keys.
    const keys = byKeys && plan.count === undefined ? keysOf(plan, result) : undefined;
    const next = keys === undefined ? urlOf(url, withOffset(query, plan.offset + limit)) : nextUrl(page, isFirst, keys);
    links += `, <${next}>; rel="next"`;
  }
  if (plan.count === 'exact' && total !== undefined && total > 0) {
    links += `, <${urlOf(url, withOffset(query, (Math.ceil(total / limit) - 1) * limit))}>; rel="last"`;
  }
  return links;
}

function nextUrl({ url, query }: PageRead, isFirst: boolean, keys: readonly PassedKey[]): string {
  const condition: Condition = { kind: 'group', joiner: 'and', negated: false, terms: [after(keys)], after: true };
  // A first page needs no rewriting: what it asks for, and after its last row.
  if (isFirst) return `${url}&${printCondition(condition)}`;
  const rest = withoutAfter(query);
  return urlOf(url, { ...withOffset(rest, 0), conditions: [...rest.conditions, condition] });
}

function isAfter(condition: Condition): boolean {
  return condition.kind === 'group' && condition.after === true;
}

/** Without what an earlier `next` added: the condition after a later row implies it. */
function withoutAfter(query: Query): Query {
  return { ...query, conditions: query.conditions.filter((condition) => !isAfter(condition)) };
}

function urlOf(url: string, query: Query): string {
  return `${url.slice(0, url.indexOf('?'))}?${printQuery(query)}`;
}

function withOffset({ offset: _, ...query }: Query, offset: number): Query {
  return offset === 0 ? query : { ...query, offset };
}

interface PassedKey {
  readonly field: Field;
  readonly order: OrderKey;
  readonly value: Value;
}

/** The order keys with their values in the last row, where all of them are fields and the list shows them. */
function keysOf(plan: ReadPlan, result: ReadResult): readonly PassedKey[] | undefined {
  const values = result.kind === 'parts' ? result.lastKeys : lastKeysOf(plan, result.rows.at(-1));
  return values?.map((value, index): PassedKey => {
    const order = plan.order[index] as OrderKey & { expression: { kind: 'field' } };
    return { order, field: order.expression.field, value };
  });
}

function lastKeysOf(plan: ReadPlan, row: Row | undefined): readonly Value[] | undefined {
  const columns = row === undefined ? undefined : keyColumns(plan);
  return columns && keyValues(columns, row!);
}

/**
 * The rows that come after one: not earlier in the first key, and later in it or after in the rest. Said in this way,
 * an engine can begin at the value instead of testing all rows before it.
 */
function after(keys: readonly PassedKey[]): Condition {
  const [{ field, order, value }, ...rest] = keys as readonly [PassedKey, ...PassedKey[]];
  if (value === null) {
    const sameNull = group('and', [
      comparison(field, { kind: 'is', value: 'null' }),
      ...(rest.length > 0 ? [after(rest)] : []),
    ]);
    return order.nulls === 'last'
      ? sameNull
      : group('or', [sameNull, comparison(field, { kind: 'is', value: 'not_null' })]);
  }
  const later = comparison(field, valueTest(order.descending ? 'lt' : 'gt', value));
  const onwards =
    rest.length === 0
      ? later
      : group('and', [
          comparison(field, valueTest(order.descending ? 'lte' : 'gte', value)),
          group('or', [later, after(rest)]),
        ]);
  return order.nulls === 'last' ? group('or', [onwards, comparison(field, { kind: 'is', value: 'null' })]) : onwards;
}

function group(joiner: 'and' | 'or', terms: readonly Condition[]): Condition {
  return terms.length === 1 ? terms[0]! : { kind: 'group', joiner, negated: false, terms };
}

function comparison(field: Field, test: Test): Condition {
  return { kind: 'comparison', field: { name: field.name, json: [] }, negated: false, test };
}

function valueTest(operator: 'gt' | 'gte' | 'lt' | 'lte', value: Value): Test {
  return { kind: 'value', operator, value: String(value) };
}
