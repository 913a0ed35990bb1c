/**
 * Plans embeddings: each is a read within a read, planned from the inside out. Its own parameters (`products.order=…`)
 * are looked up by its path.
 */

import { ApiError } from '../../base/errors.ts';
import { type Collection, stored } from '../../collection/declaration.ts';
import { isMany, type Relation } from '../../collection/relations.ts';
import { builtIn } from '../../collection/types/index.ts';
import { embedPath } from '../../dialect/names.ts';
import type { EmbedItem, EmbedParameters, Query, SelectItem } from '../../dialect/tree.ts';
import { planConditions } from '../predicate.ts';
import type { OrderKey, Predicate, ReadPlan } from '../types.ts';
import {
  type Embeds,
  embedName,
  existsPredicate,
  NO_EMBEDS,
  namesShown,
  notEmbedded,
  type PlannedEmbed,
} from './embeds.ts';
import { NO_ORDER } from './order.ts';
import { relate } from './relate.ts';
import { planShapes } from './shape.ts';

const LIST_ORDER: readonly OrderKey[] = [
  { expression: { kind: 'position', type: builtIn('int4') }, descending: false },
];
const NO_PARAMETERS: EmbedParameters = { way: [], conditions: [], order: [] };

export function planEmbeds(collection: Collection, query: Pick<Query, 'select' | 'embeds'>): Embeds {
  checkWays(query);
  return planLevel(collection, query.select, query.embeds ?? NO_WAYS, '');
}

const NO_WAYS: ReadonlyMap<string, EmbedParameters> = new Map();

/** All conditions of a level: the client's, and the existence of rows for each inner embedding. */
export function withInner(where: Predicate, embeds: Embeds): Predicate {
  if (embeds === NO_EMBEDS) return where;
  const inner = [...embeds].filter(([item]) => item.inner).map(([, embed]) => existsPredicate(embed));
  if (inner.length === 0) return where;
  return { kind: 'all', terms: [where, ...inner] };
}

function planLevel(
  collection: Collection,
  select: readonly SelectItem[],
  terms: ReadonlyMap<string, EmbedParameters>,
  way: string,
): Embeds {
  const items = embedsIn(select);
  if (items.length === 0) return NO_EMBEDS;
  const embeds = new Map(items.map((item) => [item, planEmbed(collection, item, terms, way)]));
  checkNames(items);
  return embeds;
}

/** Parameters, conditions and the result address an embedding by its name, so names must be unique. */
function checkNames(items: readonly EmbedItem[]): void {
  const names = items.map(embedName);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new ApiError('42712', `table name "${twice}" specified more than once`, {
    hint: `Two embeddings of a row need two names: write other:${twice}(…), or, where it is spread, the field that refers.`,
  });
}

function planEmbed(
  collection: Collection,
  item: EmbedItem,
  terms: ReadonlyMap<string, EmbedParameters>,
  way: string,
): PlannedEmbed {
  const relation = relate(collection, item.name, item.hint);
  const many = isMany(relation);
  // As the caller's role sees it.
  const to = collection.among.get(relation.to.name) ?? relation.to;
  const ownWay = embedPath(way, embedName(item));
  const own = terms.get(ownWay) ?? NO_PARAMETERS;
  const embeds = planLevel(to, item.select, terms, ownWay);
  const shapes = planShapes(to, { select: item.select, order: own.order }, embeds);
  const shape = many ? shapes.total : shapes.asked;
  const { columns, order } = shape;
  // Aggregates over a spread to-one embedding apply to the outer rows, so the embedding itself is not grouped.
  const groupBy = item.spread && !many ? undefined : shape.groupBy;
  const plan: ReadPlan = {
    kind: 'read',
    from: stored(to),
    columns,
    order: groupBy === undefined && isListOrder(relation, own) ? LIST_ORDER : many || groupBy ? order : NO_ORDER,
    where: withInner(planConditions(to, own.conditions, embeds), embeds),
    offset: own.offset ?? 0,
    ...(groupBy === undefined ? {} : { groupBy }),
    ...(own.limit === undefined ? {} : { limit: own.limit }),
  };
  return { relation, to, plan, many, shown: namesShown(to, item.select, embeds, many) };
}

/** Rows that a list refers to come in its order, unless the request orders them. */
function isListOrder({ list }: Relation, { order }: EmbedParameters): boolean {
  return list === 'outer' && order.length === 0;
}

/** Rejects a parameter of an embedding that is not selected: it would have no effect. */
function checkWays({ select, embeds }: Pick<Query, 'select' | 'embeds'>): void {
  for (const { way } of embeds?.values() ?? []) {
    let level = select;
    for (const name of way) {
      const item = embedsIn(level).find((each) => embedName(each) === name);
      if (item === undefined) throw notEmbedded(name);
      level = item.select;
    }
  }
}

function embedsIn(select: readonly SelectItem[]): readonly EmbedItem[] {
  return select.filter((item) => item.kind === 'embed');
}
