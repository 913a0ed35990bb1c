/** The rows that belong to a row of another read, in SQL: where they come from, and how they are joined to it. */
import type { Relation } from '../../collection/relations.ts';
import type { Scope } from './expression.ts';
import { type Bind, identifier } from './statement.ts';

/** How many reads of a statement have a name of their own so far. */
const named = new WeakMap<Bind, number>();

/** `from … where …` up to the join, and what the rows are called in it. */
export function related(relation: Relation, outer: Scope): { from: string; scope: Scope } {
  const { to, through } = relation;
  const name = nameFor(to.name, outer.bind);
  const own = column(outer.name, relation.outer.name);
  const other = column(name, relation.inner.name);
  const scope: Scope = { ...outer, name };
  // Of one row there may be very many: they count as those of the read itself do.
  const guard = outer.dialect.guard === undefined ? '' : ` and ${outer.dialect.guard}`;
  if (through === undefined) {
    return { from: `from ${identifier(to.name)} as ${identifier(name)} where ${other} = ${own}${guard}`, scope };
  }
  const middle = nameFor(through.collection.name, outer.bind);
  const near = column(middle, through.near.field.name);
  const far = column(middle, through.far.field.name);
  const from = `from ${identifier(through.collection.name)} as ${identifier(middle)} join ${identifier(to.name)} as ${identifier(name)} on ${other} = ${far} where ${near} = ${own}${guard}`;
  return { from, scope };
}

function nameFor(table: string, bind: Bind): string {
  const number = (named.get(bind) ?? 0) + 1;
  named.set(bind, number);
  return `${table} ${number}`;
}

function column(table: string, name: string): string {
  return `${identifier(table)}.${identifier(name)}`;
}
