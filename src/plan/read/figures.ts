/** Plans aggregates, also over the related rows of a row: `prices.amount.min()`. */
import { ApiError } from '../../base/errors.ts';
import { type Collection, stored } from '../../collection/declaration.ts';
import type { Relation } from '../../collection/relations.ts';
import { COMPLETIONS, MARKED_TEXTS } from '../../collection/search-fields.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { Aggregate, FieldPath } from '../../dialect/tree.ts';
import { resolvePath, undefinedFor } from '../resolve.ts';
import { ALWAYS, type Expression, type Predicate, type ReadPlan, sourceOf } from '../types.ts';
import { type Embeds, embeddedValues, findEmbed } from './embeds.ts';
import { relate } from './relate.ts';

export const COUNT: Expression = { kind: 'count', type: builtIn('int8') };

export function aggregate(name: Aggregate, of: Expression): Expression {
  const type = name === 'count' || name === 'distinct' ? 'int8' : of.type.aggregates[name];
  if (type === undefined) throw undefinedFor(`function ${name}(${of.type.title})`, 'function');
  return { kind: 'aggregate', function: name, of, type: builtIn(type) };
}

/** A field, or a figure of related rows. */
export function resolveTested(collection: Collection, path: FieldPath, embeds: Embeds): Expression {
  const { figure, ...field } = path;
  if (figure === undefined) {
    const of = resolvePath(collection, path);
    const source = sourceOf(of);
    // They are made for rows that are already chosen and in order.
    if (source === MARKED_TEXTS || source === COMPLETIONS) {
      throw new ApiError('PGRST127', 'search->highlight and search->words can be selected, not tested or ordered by', {
        hint: 'Name them in select, and order by search.',
      });
    }
    return of;
  }
  const { relation, to, where } = relatedRows(collection, figure.embed, embeds);
  const expression = field.name === '' ? COUNT : aggregate(figure.aggregate, resolvePath(to, field));
  return relatedValue(relation, { name: figure.aggregate, expression }, to, where);
}

/** The rows that a name leads to: those of an embedding of the request, with its conditions, or of any relation. */
export function relatedRows(
  collection: Collection,
  name: string,
  embeds: Embeds,
): { readonly relation: Relation; readonly to: Collection; readonly where: Predicate } {
  const embed = findEmbed(embeds, name);
  if (embed !== undefined) return { relation: embed.relation, to: embed.to, where: embed.plan.where };
  const relation = relate(collection, name, undefined);
  return { relation, to: collection.among.get(relation.to.name) ?? relation.to, where: ALWAYS };
}

/** A column of the related row, an aggregate of the related rows, or with `many` a list. */
export function relatedValue(
  relation: Relation,
  column: ReadPlan['columns'][number],
  to: Collection,
  where: Predicate,
  many = false,
): Expression {
  const plan: ReadPlan = { kind: 'read', from: stored(to), columns: [column], order: [], where, offset: 0 };
  return embeddedValues({ relation, plan, many }, column);
}
