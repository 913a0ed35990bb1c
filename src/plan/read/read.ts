/**
 * Stage 3, plan, for reads: resolves the names and values of a query by the declaration of its collection.
 *
 * In: a `Query`, a page, a kind of count, the caller's permissions.
 * Out: a `ReadPlan`.
 * Guarantees: every name is a field, every value has its type, the order is total. The plan contains only rows and
 * fields that the caller may read. The stage does not use the database.
 * Throws: 42703, 22P02, 22003, 42883 and other errors of names and types; PGRST108, PGRST200, 42501.
 */
import { isChangeLog } from '../../collection/change-log.ts';
import { type Collection, stored } from '../../collection/declaration.ts';
import type { Page } from '../../dialect/query.ts';
import type { Query } from '../../dialect/tree.ts';
import type { Encoding } from '../../encode/encoding.ts';
import { andAlso, type Permissions } from '../access/permissions.ts';
import { restrictRead } from '../access/restrict.ts';
import { atMoment } from '../at-moment.ts';
import { conditionInLanguage, readInLanguage } from '../in-language.ts';
import { planConditions, readValue } from '../predicate.ts';
import { type Key, keyIs } from '../resolve.ts';
import { type FunctionCall, isAlways, type Predicate, type ReadPlan, type Shape } from '../types.ts';
import type { Precondition } from '../write-plan.ts';
import { logViews } from './changes.ts';
import { withInner } from './embed.ts';
import { planFacets } from './facets.ts';
import { NO_ORDER } from './order.ts';
import { planSearch, type SearchedQuery, takeSearch, withBestFirst } from './search.ts';
import { wholeRow } from './shape.ts';
import { skeletonOf } from './skeleton.ts';

/**
 * `collection` is the caller's view. `permissions` is absent if everything is permitted. The plan reads only rows of
 * the query `within`, or of the function `source`.
 */
export function planRead(
  collection: Collection,
  query: Query,
  page: Page,
  count: ReadPlan['count'],
  permissions?: Permissions,
  { within, source }: { readonly within?: RowsQuery | undefined; readonly source?: FunctionCall } = {},
): ReadPlan {
  // Rejects the role before any message about fields.
  permissions?.rows(stored(collection), 'read');
  const search = source === undefined ? takeSearch(collection, query, within) : undefined;
  const plan =
    search === undefined ? planAll(collection, query, page, count, source) : planSearched(search, page, count);
  if (search !== undefined) {
    plan.from = stored(collection);
    plan.search = planSearch(collection, search.test, plan, permissions, query.language);
  }
  if (within !== undefined) {
    const rows = planRows(search?.collection ?? collection, search?.within ?? within);
    plan.where = andAlso(rows, plan.where);
    if (plan.facets !== undefined) plan.facets = { ...plan.facets, where: andAlso(rows, plan.facets.where) };
  }
  return restricted(plan, collection, permissions);
}

/** Rules of the log select its entries. Those of other collections apply to the rows of an entry, in the engine. */
function restricted(
  plan: ReadPlan,
  collection: Collection,
  permissions: Permissions | undefined,
  now = Date.now(),
): ReadPlan {
  const visible = permissions === undefined ? plan : restrictRead(plan, permissions);
  return atMoment(isChangeLog(collection) ? withLog(visible, collection, permissions) : visible, now);
}

function withLog(plan: ReadPlan, collection: Collection, permissions: Permissions | undefined): ReadPlan {
  return { ...plan, log: logViews(collection, plan.where, permissions) };
}

/** A read of the log for an undo: all changes of rows that the caller may read, without the rules of the log. */
export function planLog(changes: Collection, query: Query, page: Page, permissions: Permissions | undefined): ReadPlan {
  return atMoment(withLog(planAll(changes, query, page, undefined), changes, permissions), Date.now());
}

type RowsQuery = Pick<Query, 'conditions' | 'select' | 'embeds' | 'language'>;

/** The rows of a function keep its order. */
function planAll(
  collection: Collection,
  query: Query,
  page: Page,
  count: ReadPlan['count'],
  source?: FunctionCall,
): { -readonly [Name in keyof ReadPlan]: ReadPlan[Name] } {
  const { embeds, total, asked } = skeletonOf(collection, query);
  const { columns, order, groupBy, isWhole } = source === undefined ? total : asked;
  const { facets } = query;
  const plan: ReadPlan = {
    kind: 'read',
    from: stored(collection),
    columns,
    order,
    groupBy,
    isWhole,
    where: withInner(planConditions(collection, query.conditions, embeds), embeds),
    facets: facets && planFacets(collection, { ...query, facets }, embeds),
    offset: page.offset,
    limit: page.limit,
    count,
    source,
  };
  return readInLanguage(plan, collection, query.language);
}

function planSearched({ collection, query }: SearchedQuery<RowsQuery>, page: Page, count: ReadPlan['count']) {
  const isGrouped = skeletonOf(collection, query).total.groupBy !== undefined;
  return planAll(collection, withBestFirst(query, isGrouped), page, count);
}

/** The rows that the conditions and inner embeddings of a query permit. */
function planRows(collection: Collection, query: RowsQuery): Predicate {
  const { embeds } = skeletonOf(collection, { ...query, order: NO_TERMS });
  const rows = withInner(planConditions(collection, query.conditions, embeds), embeds);
  return conditionInLanguage(rows, collection, query.language);
}

const NO_TERMS: Query['order'] = [];

/**
 * Plans the reads of the one row with this key, without order or page: the row as the list has it, and two parts for
 * its version, the whole row and the selected columns. Of those, only the first applies the filters.
 */
export function planItem(collection: Collection, keyText: string, query: Query, permissions?: Permissions): ItemPlan {
  permissions?.rows(stored(collection), 'read');
  const from = stored(collection);
  const { columns, groupBy, isWhole, where } = planAll(collection, query, { offset: 0 }, undefined);
  const isItem = itemPredicate(from, keyText);
  const now = Date.now();
  const condition = andAlso(isItem, where);
  const plan = (shape: Omit<Shape, 'order'>, rows: Predicate): ReadPlan => {
    const read: ReadPlan = { kind: 'read', from, ...shape, order: NO_ORDER, where: rows, offset: 0 };
    return restricted(read, collection, permissions, now);
  };
  const whole = plan({ columns: wholeRow(collection), isWhole: true }, condition);
  if (isWhole === true && isAlways(where)) return { asked: whole, whole, shown: whole };
  const selected = { columns, groupBy, isWhole };
  return { asked: plan(selected, condition), whole, shown: plan(selected, isItem) };
}

interface ItemPlan {
  readonly asked: ReadPlan;
  readonly whole: ReadPlan;
  readonly shown: ReadPlan;
}

export function andItemKey(collection: Collection, keyText: string, where: Predicate): Predicate {
  return andAlso(itemPredicate(collection, keyText), where);
}

function itemPredicate(collection: Collection, keyText: string): Predicate {
  return keyIs(collection, [readValue(collection.key[0]!, keyText)]);
}

/** All fields as JSON. Column names matter only for CSV. */
export const WHOLE_ROW_JSON: Encoding = { format: 'json', stripNulls: false, columns: ['*'] };

export function planWholeRow(from: Collection, key: Key): ReadPlan {
  return { kind: 'read', from, columns: wholeRow(from), order: NO_ORDER, where: keyIs(from, key), offset: 0 };
}

/** The part of the row that the caller sees. */
export function planVisibleRow(from: Collection, { key, seen }: Precondition): ReadPlan {
  const plan = planWholeRow(from, key);
  return seen === undefined ? plan : { ...plan, columns: seen.columns, where: andAlso(plan.where, seen.where) };
}
