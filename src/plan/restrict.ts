/**
 * The rules of a caller's role become part of the plan: the rows that it may not see are left out wherever a collection is read,
 * the read itself, what is embedded at any depth, what decides about rows, order or groups; and a write touches and makes no
 * others. Called at the two doors, `read.ts` and `write.ts`; no stage after them can forget it.
 */
import { type Collection, type Field, stored } from '../collection/declaration.ts';
import type { Relation } from '../collection/relations.ts';
import { oncePer } from '../once-per.ts';
import { namedFields } from './named-fields.ts';
import { wholeRow } from './shape.ts';
import { both, type Sight } from './sight.ts';
import {
  ALWAYS,
  type Expression,
  type InsertPlan,
  isAlways,
  type OrderKey,
  type OutputColumn,
  type Predicate,
  type ReadPlan,
  type Restriction,
  type WritePlan,
} from './types.ts';

export function restrictRead(plan: ReadPlan, sight: Sight): ReadPlan {
  return readingOf(plan, sight).read(plan);
}

/** `view` is the collection that is written, as the role sees it. */
export function restrictWrite(plan: WritePlan, view: Collection, sight: Sight): WritePlan {
  const { into, returning, precondition } = plan;
  const reading = readingOf(plan, sight);
  const sees = () => reading.rows(into);
  const shown =
    returning === undefined
      ? {}
      : { returning: { ...reading.shape(returning), where: reading.predicate(returning.where) } };
  const versions =
    precondition === undefined
      ? {}
      : { precondition: { ...precondition, seen: { columns: wholeRow(view), where: sees() } } };
  const terms = { ...shown, ...versions };
  switch (plan.kind) {
    case 'insert': {
      const created = sight.rows(into, 'create', new Set(plan.given));
      const merges = plan.conflict !== 'refuse' && plan.conflict.overwrite.length > 0;
      const met = merges ? both(sees(), sight.rows(into, 'update', overwrittenBy(plan))) : ALWAYS;
      const made = returning === undefined ? created : both(sees(), created);
      return { ...plan, ...terms, ...asking({ met, created: made, changed: met }) };
    }
    case 'update': {
      const rows = both(sees(), sight.rows(into, 'update', new Set(plan.given)));
      return { ...plan, ...terms, where: both(rows, reading.predicate(plan.where)), ...asking({ changed: rows }) };
    }
    case 'update-each': {
      const rows = both(sees(), sight.rows(into, 'update', new Set(plan.given)));
      const among = plan.among === undefined ? {} : { among: reading.predicate(plan.among) };
      return { ...plan, ...terms, ...among, ...asking({ met: rows, changed: rows }) };
    }
    case 'delete': {
      const rows = both(sees(), sight.rows(into, 'delete'));
      return { ...plan, ...terms, where: both(rows, reading.predicate(plan.where)) };
    }
  }
}

function asking(asked: { readonly [Name in keyof Restriction]?: Predicate }): { restriction?: Restriction } {
  const needed = Object.entries(asked).filter(([, predicate]) => !isAlways(predicate));
  return needed.length === 0 ? {} : { restriction: Object.fromEntries(needed) };
}

/** Without what the service sets by itself, such as the time of the change. */
function overwrittenBy({ given, conflict }: InsertPlan): ReadonlySet<Field> {
  return new Set(conflict === 'refuse' ? [] : given.filter((field) => conflict.overwrite.includes(field)));
}

/** Where it matters which fields are named, that is found out for each plan; else all of a caller's plans share what is made. */
function readingOf(plan: ReadPlan | WritePlan, sight: Sight): Reading {
  return sight.isByFields ? new Reading(sight, namedFields(plan)) : sharedReading(sight);
}

const sharedReading = oncePer((sight: Sight) => new Reading(sight));

class Reading {
  /** Requests share columns, and what was made of them; groups are found again by being the same expression. */
  readonly columns = oncePer((columns: readonly OutputColumn[]) =>
    mapped(columns, (column) => {
      const expression = this.expression(column.expression);
      return expression === column.expression ? column : { ...column, expression };
    }),
  );
  private readonly expression = oncePer((expression: Expression) => this.restricted(expression));
  private readonly order = oncePer((order: readonly OrderKey[]) =>
    mapped(order, (key) => {
      const expression = this.expression(key.expression);
      return expression === key.expression ? key : { ...key, expression };
    }),
  );

  constructor(
    private readonly sight: Sight,
    private readonly named?: ReadonlyMap<Collection, ReadonlySet<Field>>,
  ) {}

  rows(collection: Collection): Predicate {
    const of = stored(collection);
    return this.sight.rows(of, 'read', this.named?.get(of));
  }

  read(plan: ReadPlan): ReadPlan {
    return { ...plan, ...this.shape(plan), where: both(this.rows(plan.from), this.predicate(plan.where)) };
  }

  shape({ columns, order, groupBy }: Pick<ReadPlan, 'columns' | 'order' | 'groupBy'>) {
    return {
      columns: this.columns(columns),
      order: this.order(order),
      ...(groupBy === undefined ? {} : { groupBy: mapped(groupBy, this.expression) }),
    };
  }

  predicate(predicate: Predicate): Predicate {
    switch (predicate.kind) {
      case 'constant':
        return predicate;
      case 'all':
      case 'any': {
        const terms = mapped(predicate.terms, (term) => this.predicate(term));
        return terms === predicate.terms ? predicate : { ...predicate, terms };
      }
      case 'not': {
        const term = this.predicate(predicate.term);
        return term === predicate.term ? predicate : { ...predicate, term };
      }
      case 'exists': {
        const { relation, where, groupBy } = predicate;
        return {
          ...predicate,
          ...this.between(relation),
          where: both(this.rows(relation.to), this.predicate(where)),
          ...(groupBy === undefined ? {} : { groupBy: mapped(groupBy, this.expression) }),
        };
      }
      default: {
        const of = this.expression(predicate.of);
        return of === predicate.of ? predicate : { ...predicate, of };
      }
    }
  }

  private restricted(expression: Expression): Expression {
    switch (expression.kind) {
      case 'field':
      case 'null':
      case 'count':
        return expression;
      case 'path':
      case 'cast':
      case 'aggregate': {
        const of = this.expression(expression.of);
        return of === expression.of ? expression : { ...expression, of };
      }
      case 'embed':
        return { ...expression, ...this.between(expression.relation), plan: this.read(expression.plan) };
    }
  }

  /** The rows of a collection that lies between two are rows, too. */
  private between({ through }: Relation): { between?: Predicate } {
    const rows = through === undefined ? ALWAYS : this.rows(through.collection);
    return isAlways(rows) ? {} : { between: rows };
  }
}

/** The same list where nothing of it has changed. */
function mapped<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = list.map(change);
  return changed.every((item, index) => item === list[index]) ? list : changed;
}
