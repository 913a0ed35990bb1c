/** Collects the fields that a plan refers to, by collection. */
import { type Collection, type Field, isKey, stored } from '../../collection/declaration.ts';
import { isFiles } from '../../collection/files.ts';
import { pairsOf, type Relation } from '../../collection/relations.ts';
import { isOfSearch } from '../../collection/search-fields.ts';
import type { Expression, Predicate, ReadPlan, Shape, TreeWay } from '../types.ts';
import { type Assignment, isOperation, type WritePlan } from '../write-plan.ts';

export function namedFields(plan: ReadPlan | WritePlan): ReadonlyMap<Collection, ReadonlySet<Field>> {
  const names = new Names();
  if (plan.kind === 'read') names.ofRead(plan);
  else {
    if (plan.returning !== undefined) names.ofRead({ ...plan.returning, from: plan.into });
    if ('where' in plan) names.ofPredicate(plan.into, plan.where);
    if ('among' in plan && plan.among !== undefined) names.ofPredicate(plan.into, plan.among);
    for (const field of readByUpdate(plan)) names.add(plan.into, field);
    if ('bound' in plan) for (const { expression } of plan.bound?.order ?? []) names.of(plan.into, expression);
  }
  return names.found;
}

/** The collections that a read needs a log of, if it is as of a position. Embedded files never change. */
export function changingCollections(plan: ReadPlan): readonly Collection[] {
  const named = [...namedFields(plan).keys()].filter((each) => !isFiles(each));
  return [...new Set([stored(plan.from), ...named])];
}

/** Whether a read calls functions of a row. */
export function callsFunctions(plan: ReadPlan): boolean {
  const names = new Names();
  names.ofRead(plan);
  return names.hasComputed;
}

/** The stored values that an update depends on: those of operations, and unique fields that identify rows. */
function readByUpdate(plan: WritePlan): readonly Field[] {
  const operands = (set: readonly Assignment[]) => set.filter(isOperation).map(({ field }) => field);
  if (plan.kind === 'update') return operands(plan.set);
  if (plan.kind !== 'update-each') return [];
  return [...plan.by.filter((field) => !isKey(plan.into, field)), ...plan.changes.flatMap(({ set }) => operands(set))];
}

/** Whether an embedding of the result reads the written collection again. */
export function readsOwnCollection(collection: Collection, shape: Shape & Pick<ReadPlan, 'where'>): boolean {
  const of = stored(collection);
  // A copy of the collection stands for the rows' own fields.
  return namedFields({ ...shape, kind: 'read', from: { ...of }, offset: 0 }).has(of);
}

/** The fields of the tested row that a condition refers to, without those of related rows. */
export function fieldsOfPredicate(collection: Collection, predicate: Predicate): ReadonlySet<Field> {
  const names = new Names();
  // A copy of the collection stands for the row: related rows may be of the same collection.
  const row = { ...stored(collection) };
  names.ofPredicate(row, predicate);
  return names.found.get(row) ?? new Set();
}

type NamingRead = Shape & Pick<ReadPlan, 'from' | 'where' | 'facets'>;

/** The fields of the row that an expression refers to, without those of related rows. */
export function fieldsOfExpression(collection: Collection, expression: Expression): ReadonlySet<Field> {
  const names = new Names();
  const row = { ...stored(collection) };
  names.of(row, expression);
  return names.found.get(row) ?? new Set();
}

/** Visits everything that a plan names, each in the collection that it is of. */
export class Names {
  readonly found = new Map<Collection, Set<Field>>();
  hasComputed = false;

  ofRead({ from, columns, order, groupBy = [], where, facets }: NamingRead): void {
    for (const { expression } of [...columns, ...order]) this.of(from, expression);
    for (const { of, title, tree } of facets?.list ?? []) {
      this.of(from, of);
      const counted = of.kind === 'embed' ? of.plan.from : from;
      if (title !== undefined) this.of(counted, title);
      if (tree !== undefined) this.ofTree(counted, tree);
    }
    for (const expression of groupBy) this.of(from, expression);
    this.ofPredicate(from, where);
  }

  of(from: Collection, expression: Expression): void {
    if (expression.kind === 'field') this.add(from, expression.field);
    else if (expression.kind === 'embed') {
      this.ofRelation(from, expression.relation, expression.between);
      this.ofRead(expression.plan);
    } else if (expression.kind === 'depth') this.ofTree(from, expression.tree);
    else if ('of' in expression) this.of(from, expression.of);
    if (expression.kind === 'translation') this.of(from, expression.otherwise);
  }

  ofPredicate(from: Collection, predicate: Predicate): void {
    if ('terms' in predicate) for (const term of predicate.terms) this.ofPredicate(from, term);
    else if (predicate.kind === 'not') this.ofPredicate(from, predicate.term);
    else if (predicate.kind === 'exists') {
      const { relation, where, between, groupBy = [], tree } = predicate;
      this.ofRelation(from, relation, between);
      this.ofPredicate(relation.to, where);
      if (tree !== undefined) this.add(relation.to, tree.by);
      for (const expression of groupBy) this.of(relation.to, expression);
    } else if (predicate.kind !== 'constant') this.ofTest(from, predicate);
  }

  protected ofTest(from: Collection, { of }: Extract<Predicate, { of: Expression }>): void {
    this.of(from, of);
  }

  private ofTree(from: Collection, { relation, by, where }: TreeWay): void {
    this.ofRelation(from, relation, undefined);
    this.add(relation.to, by);
    this.ofPredicate(relation.to, where);
  }

  private ofRelation(from: Collection, relation: Relation, between: Predicate | undefined): void {
    const { to, through, computedBy } = relation;
    if (computedBy !== undefined) {
      this.hasComputed = true;
      return;
    }
    for (const [outer, inner] of pairsOf(relation)) {
      this.add(from, outer);
      this.add(to, inner);
    }
    if (through === undefined) return;
    if (between !== undefined) this.ofPredicate(through.collection, between);
    for (const field of through.near.targets) this.add(from, field);
    for (const field of through.far.targets) this.add(to, field);
    for (const field of [...through.near.fields, ...through.far.fields]) this.add(through.collection, field);
  }

  add(collection: Collection, field: Field): void {
    if (isOfSearch(field)) return;
    if (field.computedOf !== undefined) this.hasComputed = true;
    const of = stored(collection);
    const fields = this.found.get(of) ?? new Set();
    this.found.set(of, fields.add(field));
  }
}
