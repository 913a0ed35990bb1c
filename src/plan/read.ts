/**
 * Stage 3, plan, for reads: the syntax tree is given its meaning by the collection's declaration.
 *
 * In: a `Query`, a page, a way to count. Out: a `ReadPlan`. Guarantees: every name is a field, every value typed and in
 * range, the order total. Refuses: 42703, 22P02, 22003, 42883 and kin, PGRST200. Touches no database.
 */
import type { Collection } from '../collection/declaration.ts';
import type { Page } from '../dialect/page.ts';
import type { Query } from '../dialect/tree.ts';
import { planEmbeds, withInner } from './embed.ts';
import { keyIs } from './keys.ts';
import { planConditions } from './predicate.ts';
import { NO_ORDER, planShape, wholeRow } from './shape.ts';
import { isAlways, type Predicate, type ReadPlan } from './types.ts';

export function planRead(collection: Collection, query: Query, page: Page, count: ReadPlan['count']): ReadPlan {
  const embeds = planEmbeds(collection, query);
  const { columns, order, groupBy } = planShape(collection, query, true, embeds);
  return {
    kind: 'read',
    from: collection,
    columns,
    order,
    where: withInner(planConditions(collection, query.conditions, embeds), embeds),
    offset: page.offset,
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(page.limit === undefined ? {} : { limit: page.limit }),
    ...(count === undefined ? {} : { count }),
  };
}

/** Of a list, the one row with this key. It needs neither order nor page. */
export function planReadItem(collection: Collection, keyText: string, query: Query): ReadPlan {
  return planItem(collection, keyText, query).asked;
}

/** The whole row for its version, and what is shown of it: only the first asks whether it meets the filters. */
export function planItem(from: Collection, keyText: string, query: Query): ItemPlan {
  const { columns, groupBy, where } = planRead(from, query, { offset: 0 }, undefined);
  const isItem = itemPredicate(from, keyText);
  const isAsked = both(isItem, where);
  const plan = (of: ReadPlan['columns'], condition: Predicate): ReadPlan => {
    return { kind: 'read', from, columns: of, order: NO_ORDER, where: condition, offset: 0 };
  };
  const grouped = groupBy === undefined ? undefined : { groupBy };
  return {
    asked: { ...plan(columns, isAsked), ...grouped },
    whole: plan(wholeRow(from), isAsked),
    shown: { ...plan(columns, isItem), ...grouped },
  };
}

export interface ItemPlan {
  readonly asked: ReadPlan;
  readonly whole: ReadPlan;
  readonly shown: ReadPlan;
}

export function withItem(collection: Collection, keyText: string, where: Predicate): Predicate {
  return both(itemPredicate(collection, keyText), where);
}

function both(isItem: Predicate, where: Predicate): Predicate {
  return isAlways(where) ? isItem : { kind: 'all', terms: [isItem, where] };
}

function itemPredicate(collection: Collection, keyText: string): Predicate {
  return keyIs(collection, [collection.key[0]!.type.read(keyText)]);
}
