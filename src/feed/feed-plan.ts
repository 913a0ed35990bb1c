/** Plans a list for its feed: the rows with their key, and the collections whose changes matter. */
import { ApiError } from '../base/errors.ts';
import type { Collection } from '../collection/declaration.ts';
import { pageOf } from '../dialect/page.ts';
import type { Call } from '../http/call.ts';
import { changingCollections } from '../plan/access/named-fields.ts';
import type { Permissions } from '../plan/access/permissions.ts';
import { atMoment, isTimed } from '../plan/at-moment.ts';
import { planRead } from '../plan/read/read.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { fieldOf, type ReadPlan } from '../plan/types.ts';
import { LiveCall } from './feed-event.ts';

export interface FeedPlan {
  /** The list. */
  readonly list: ReadPlan;
  /** The list with the key of each row before its columns. */
  readonly keyed: ReadPlan;
  /** The names of the key in the rows. */
  readonly keyNames: readonly string[];
  readonly collections: readonly Collection[];
  /** Whether a `LiveCall` asks for it. Then the list has no filter; `matching` has the keys that match one. */
  readonly isLive: boolean;
  readonly matching?: ReadPlan;
  /** Whether rows enter and leave with the time. Entries of the log do not. */
  readonly isTimed: boolean;
}

/** The plan at a time in milliseconds. */
export function feedPlanAt(plan: FeedPlan, now = Date.now()): FeedPlan {
  const { list, keyed, matching } = plan;
  if (!plan.isTimed && list.log === undefined) return plan;
  const bound = { ...plan, list: atMoment(list, now), keyed: atMoment(keyed, now) };
  return matching === undefined ? bound : { ...bound, matching: atMoment(matching, now) };
}

export function planFeed(call: Call, collection: Collection, permissions: Permissions | undefined): FeedPlan {
  const query = call.parseQuery();
  const page = pageOf(query, call.range);
  if (page.limit !== undefined || page.offset > 0) {
    throw unsupported('limit, offset and Range', 'Use a filter: the feed has every row that matches.');
  }
  if (call.preferences['as-of'] !== undefined) {
    throw unsupported('Prefer: as-of', 'Send Last-Event-ID to resume at a position.');
  }
  const isLive = call instanceof LiveCall;
  const matching = planRead(collection, query, page, undefined, permissions);
  const list = isLive ? planRead(collection, { ...query, conditions: [] }, page, undefined, permissions) : matching;
  if (list.groupBy !== undefined) {
    throw unsupported('aggregates', 'Follow the rows, and compute the aggregates from them.');
  }
  if (matching.search !== undefined) throw unsupported('search', 'Filter by other operators, such as ilike.');
  const { from, columns, log } = list;
  const keyNames = from.key.map((field) => {
    const column = columns.find(({ expression }) => fieldOf(expression) === field);
    if (column !== undefined) return column.name;
    throw unsupported('select without the key', `Add ${field.name} to select: it identifies the row of an event.`);
  });
  const keys = from.key.map((field, index) => ({ name: `key ${index}`, expression: fieldExpression(field) }));
  return {
    isLive,
    isTimed: log === undefined && (isTimed(list) || isTimed(matching)),
    ...(isLive && query.conditions.length > 0 ? { matching: { ...matching, columns: keys } } : {}),
    list,
    keyed: { ...list, columns: [...keys, ...columns] },
    keyNames,
    collections: log?.map((view) => view.collection) ?? changingCollections(list),
  };
}

function unsupported(what: string, hint: string): ApiError {
  return new ApiError('PGRST127', `a feed does not support ${what}`, { hint });
}
