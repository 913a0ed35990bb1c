/** The rows that belong to a row of another read, in SQL: where they come from, and how they are joined to it. */
import { isMany, type Relation } from '../../collection/relations.ts';
import { isAlways, type Predicate } from '../../plan/types.ts';
import type { Scope } from './expression.ts';
import { identifier } from './statement.ts';

/** What a row in between must pass, and how that is compiled: predicates are made of relations again. */
export interface Between {
  readonly where: Predicate | undefined;
  readonly compile: (predicate: Predicate, scope: Scope) => string;
}

/** `from … where …` up to the join, and what the rows are called in it. */
export function related(relation: Relation, outer: Scope, between: Between): { from: string; scope: Scope } {
  const { to, through } = relation;
  // The way to it tells it from those that it is in. Those beside it may have the same name.
  const depth = outer.depth + 1;
  const name = `${to.name} ${depth}`;
  const own = column(outer.name, relation.outer.name);
  const other = column(name, relation.inner.name);
  const scope: Scope = { ...outer, name, depth };
  // Of one row there may be very many: they count as those of the read itself do. One that is found by its key counts with it.
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
