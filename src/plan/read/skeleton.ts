/**
 * The skeleton of a plan: all that depends only on the caller's view of a collection, `select` and `order`. The
 * parameters of embeddings (`products.order=…`), filters, page and count complete it.
 *
 * This is the cache of request shapes. Invariant: equal texts of `select` and `order` and the same role give the same
 * immutable objects. Engines cache statements by the identity of the column and order lists. Without it, a page of
 * three columns takes 50 % more CPU time.
 */
import { memoize } from '../../base/memo.ts';
import type { Collection } from '../../collection/declaration.ts';
import type { OrderTerm, Query, SelectItem } from '../../dialect/tree.ts';
import { planEmbeds } from './embed.ts';
import type { Embeds } from './embeds.ts';
import { planShapes, type Shapes } from './shape.ts';

interface Skeleton extends Shapes {
  readonly embeds: Embeds;
}

type ShapeQuery = Pick<Query, 'select' | 'order' | 'embeds'>;

export function skeletonOf(collection: Collection, query: ShapeQuery): Skeleton {
  const { select, order, embeds } = query;
  return embeds === undefined ? skeletons(collection)(select)(order) : planSkeleton(collection, query);
}

/** `select` and `order` are keys, since the parsers return the same list for the same text. */
const skeletons = memoize((collection: Collection) =>
  memoize((select: readonly SelectItem[]) =>
    memoize((order: readonly OrderTerm[]) => planSkeleton(collection, { select, order })),
  ),
);

function planSkeleton(collection: Collection, query: ShapeQuery): Skeleton {
  const embeds = planEmbeds(collection, query);
  return { embeds, ...planShapes(collection, query, embeds) };
}
