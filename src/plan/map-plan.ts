/**
 * Rewrites the predicates of a plan: of the read itself, of embeddings at any depth, and in the expressions of columns,
 * order and groups. A part in which nothing changes stays the same object, since engines cache by identity.
 */
import { memoize } from '../base/memo.ts';
import type { Relation } from '../collection/relations.ts';
import type { Expression, Facets, OrderKey, OutputColumn, Predicate, ReadPlan, Shape, TreeWay } from './types.ts';

type Exists = Extract<Predicate, { kind: 'exists' }>;
export type FieldExpression = Extract<Expression, { kind: 'field' }>;
type Tested = Extract<Predicate, { of: Expression }>;

export class PlanMap {
  /** Cached, since requests share columns. Groups are matched by the identity of their expressions. */
  readonly columns = memoize((columns: readonly OutputColumn[]) =>
    mapped(columns, (column) => changed(column, { expression: this.expression(column.expression) })),
  );
  private readonly expression = memoize((expression: Expression) => this.mapExpression(expression));
  private readonly order = memoize((order: readonly OrderKey[]) =>
    mapped(order, (key) => changed(key, { expression: this.expression(key.expression) })),
  );

  /** The predicate of the rows that a read, an embedding or a test for related rows finds. */
  protected rows({ where }: Pick<ReadPlan, 'from' | 'where'>): Predicate {
    return this.predicate(where);
  }

  /** The predicate on rows of a join collection. */
  protected between(_relation: Relation, between: Predicate | undefined): Predicate | undefined {
    return between && this.predicate(between);
  }

  read(plan: ReadPlan): ReadPlan {
    const { from, facets } = plan;
    const where = this.rows(plan);
    const shape = this.shape(plan);
    const rows = where === plan.where ? shape : { ...shape, where };
    return facets === undefined ? rows : changed(rows, { facets: this.facets(from, facets) });
  }

  private facets(from: ReadPlan['from'], facets: Facets): Facets {
    return changed(facets, {
      where: this.rows({ from, where: facets.where }),
      conditions: mapped(facets.conditions, (condition) => this.predicate(condition)),
      list: mapped(facets.list, (facet) => {
        const title = facet.title && this.expression(facet.title);
        const tree = facet.tree && this.tree(facet.tree);
        return changed(facet, {
          of: this.expression(facet.of),
          ...optional('title', title),
          ...optional('tree', tree),
        });
      }),
    });
  }

  private tree(tree: TreeWay): TreeWay {
    return changed(tree, { where: this.rows({ from: tree.relation.to, where: tree.where }) });
  }

  shape<Of extends Pick<Shape, 'columns' | 'order' | 'groupBy'>>(shape: Of): Of {
    const { columns, order, groupBy } = shape;
    const all = { columns: this.columns(columns), order: this.order(order) };
    if (groupBy !== undefined) return changed(shape, { ...all, groupBy: mapped(groupBy, this.expression) } as Of);
    return all.columns === columns && all.order === order ? shape : { ...shape, ...all };
  }

  predicate(predicate: Predicate): Predicate {
    switch (predicate.kind) {
      case 'constant':
        return predicate;
      case 'all':
      case 'any':
        return changed(predicate, { terms: mapped(predicate.terms, (term) => this.predicate(term)) });
      case 'not':
        return changed(predicate, { term: this.predicate(predicate.term) });
      case 'exists':
        return this.exists(predicate);
      default:
        return this.test(predicate);
    }
  }

  protected test(predicate: Tested): Predicate {
    const of = this.expression(predicate.of);
    return of === predicate.of ? predicate : ({ ...predicate, of } as Tested);
  }

  protected field(expression: FieldExpression): Expression {
    return expression;
  }

  private exists(predicate: Exists): Predicate {
    const { relation, where, groupBy, between } = predicate;
    return changed(predicate, {
      where: this.rows({ from: relation.to, where }),
      ...optional('between', this.between(relation, between)),
      ...optional('groupBy', groupBy && mapped(groupBy, this.expression)),
    });
  }

  private mapExpression(expression: Expression): Expression {
    switch (expression.kind) {
      case 'field':
        return this.field(expression);
      case 'null':
      case 'count':
      case 'position':
        return expression;
      // The fields of a translation have been mapped.
      case 'translation':
        return expression;
      case 'depth':
        return changed(expression, { tree: this.tree(expression.tree) });
      case 'path':
      case 'cast':
      case 'aggregate':
        return changed(expression, { of: this.expression(expression.of) });
      case 'embed': {
        const { relation, plan, between } = expression;
        return changed(expression, {
          ...optional('between', this.between(relation, between)),
          plan: this.read(plan),
        });
      }
    }
  }
}

function optional<Name extends string, Of>(name: Name, value: Of | undefined): { [Each in Name]?: Of } {
  return value === undefined ? {} : ({ [name]: value } as { [Each in Name]?: Of });
}

/** Returns the same object if nothing in it changed. */
export function changed<Of extends object>(of: Of, changes: Partial<Of>): Of {
  for (const name in changes) if (of[name] !== changes[name]) return { ...of, ...changes };
  return of;
}

/** Returns the same list if nothing in it changed. */
export function mapped<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const items = list.map(change);
  return items.every((item, index) => item === list[index]) ? list : items;
}
