/** Compiles the join of a read with the related rows of another collection. */
import { isMany, type Relation } from '../../collection/relations.ts';
import { isAlways, type Predicate } from '../../plan/types.ts';
import type { Scope } from './expression.ts';
import { identifier } from './statement.ts';

/** The predicate on rows of a join collection, and how to compile it: predicates may contain relations again. */
export interface JoinConditions {
  readonly where: Predicate | undefined;
  readonly compile: (predicate: Predicate, scope: Scope) => string;
}

/** `from … where …` with the join condition, and the alias of the rows. */
export function joinRelated(relation: Relation, outer: Scope, between: JoinConditions): { from: string; scope: Scope } {
  const { to, through } = relation;
  // The path distinguishes it from enclosing reads; siblings may share an alias.
  const depth = outer.depth + 1;
  const name = `${to.name} ${depth}`;
  const own = column(outer.name, relation.outer.name);
  const other = column(name, relation.inner.name);
  const scope: Scope = { ...outer, name, depth };
  // A row may have very many related rows, so each of them counts against the deadline. A to-one relation does not need
  // that.
  const guard = outer.dialect.guard === undefined || !isMany(relation) ? '' : ` and ${outer.dialect.guard}`;
  if (through === undefined) {
    return { from: `from ${identifier(to.name)} as ${identifier(name)} where ${other} = ${own}${guard}`, scope };
  }
  const middle = `${through.collection.name} ${depth}`;
  const near = column(middle, through.near.field.name);
  const far = column(middle, through.far.field.name);
  const rule =
    between.where === undefined || isAlways(between.where)
      ? ''
      : ` and ${between.compile(between.where, { ...scope, name: middle })}`;
  const from = `from ${identifier(through.collection.name)} as ${identifier(middle)} join ${identifier(to.name)} as ${identifier(name)} on ${other} = ${far} where ${near} = ${own}${rule}${guard}`;
  return { from, scope };
}

function column(table: string, name: string): string {
  return `${identifier(table)}.${identifier(name)}`;
}
