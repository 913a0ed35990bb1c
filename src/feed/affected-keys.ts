/**
 * The rows of a list that a step may affect: changed rows, rows whose time has come, and rows that embed or test such
 * rows.
 */
import { stored } from '../collection/declaration.ts';
import type { Relation } from '../collection/relations.ts';
import { type Reader, readLines } from '../engine/row-store.ts';
import { isMoving, type MovingCompare, valueAt } from '../plan/at-moment.ts';
import { NO_ORDER } from '../plan/read/order.ts';
import { cast } from '../plan/read/shape.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { ALWAYS, type Expression, type Predicate, type ReadPlan, type TreeTest, testsIn } from '../plan/types.ts';
import { type Changes, hasKey } from './changed-keys.ts';
import type { FeedPosition } from './event-id.ts';

type Exists = Extract<Predicate, { kind: 'exists' }>;
type Keys = Changes['keys'];

/** Relations are followed as of both positions, since a row may be related at only one of them. */
export async function affectedKeys(
  reader: Reader,
  list: ReadPlan,
  from: FeedPosition,
  to: FeedPosition,
  changed: Keys,
): Promise<ReadonlySet<string>> {
  const { from: collection } = list;
  const keys = new Set(changed.get(collection.name));
  const related = relatedChanges(list, changed, from.now, to.now);
  if (related.length === 0) return keys;
  const columns = collection.key.map((field, index) => {
    return { name: `key ${index}`, expression: cast(fieldExpression(field), 'text') };
  });
  const where: Predicate = { kind: 'any', terms: related };
  const plan: ReadPlan = { kind: 'read', from: collection, columns, order: NO_ORDER, where, offset: 0 };
  for (const position of new Set([from.seq, to.seq])) {
    for (const line of await readLines(reader, plan, position)) {
      const texts = Object.values(JSON.parse(line) as Record<string, string>);
      keys.add(texts.length === 1 ? texts[0]! : JSON.stringify(texts));
    }
  }
  return keys;
}

/**
 * The conditions of rows with changed related rows, and of rows whose time came between two times; none if only the
 * changed rows themselves are affected.
 */
export function relatedChanges(
  { columns, where }: Pick<ReadPlan, 'columns' | 'where'>,
  changed: Keys,
  since = 0,
  now = since,
): readonly Predicate[] {
  const ofExpression = (expression: Expression): readonly Predicate[] => {
    if (expression.kind === 'embed')
      return throughRelation(
        expression.relation,
        relatedChanges(expression.plan, changed, since, now),
        expression.between,
      );
    return 'of' in expression ? ofExpression(expression.of) : [];
  };
  const ofPredicate = (predicate: Predicate): readonly Predicate[] => testsIn(predicate).flatMap(ofTest);
  const ofTest = (test: ReturnType<typeof testsIn>[number]): readonly Predicate[] => {
    if (test.kind === 'constant') return [];
    if (test.kind === 'exists' && test.tree !== undefined) return throughTree(test, test.tree);
    if (test.kind === 'exists') return throughRelation(test.relation, ofPredicate(test.where), test.between);
    const moved = isMoving(test) && since < now ? [isBetween(test, since, now)] : [];
    return [...moved, ...ofExpression(test.of)];
  };
  /** A row of a tree that moves takes all rows below it along. */
  const throughTree = (test: Exists, tree: TreeTest): readonly Predicate[] => {
    const { to } = test.relation;
    const direct = changed.get(to.name);
    const terms = [...ofPredicate(test.where), ...(direct === undefined ? [] : [hasKey(stored(to), direct)])];
    if (terms.length === 0) return [];
    const below: TreeTest = { ...tree, direction: 'within', from: { kind: 'any', terms } };
    return [{ ...test, where: ALWAYS, tree: tree.direction === 'within' ? below : tree }];
  };
  const throughRelation = (
    relation: Relation,
    inner: readonly Predicate[],
    between: Predicate = ALWAYS,
  ): readonly Predicate[] => {
    const { to, through, outer } = relation;
    const direct = changed.get(to.name);
    const joins = through && changed.get(through.collection.name);
    const found: Predicate[] = [];
    const terms = [...inner];
    // A reference to a changed key needs no look at the row, so the database can use an index.
    if (direct !== undefined && through === undefined && to.key.length === 1 && relation.inner === to.key[0]) {
      found.push(hasKey(stored(to), direct, outer));
    } else if (direct !== undefined) terms.push(hasKey(stored(to), direct));
    if (terms.length > 0) found.push({ kind: 'exists', relation, where: { kind: 'any', terms } });
    const joined = [...ofPredicate(between)];
    if (joins !== undefined) joined.push(hasKey(stored(through!.collection), joins));
    if (joined.length > 0) {
      found.push({ kind: 'exists', relation, where: ALWAYS, between: { kind: 'any', terms: joined } });
    }
    return found;
  };
  return [...columns.flatMap(({ expression }) => ofExpression(expression)), ...ofPredicate(where)];
}

/** Whether the result of the comparison may change between two times. */
function isBetween(test: MovingCompare, since: number, now: number): Predicate {
  const { of } = test;
  return {
    kind: 'all',
    terms: [
      { kind: 'compare', of, operator: '>=', value: valueAt(test, since) },
      { kind: 'compare', of, operator: '<=', value: valueAt(test, now) },
    ],
  };
}
