/** The next time at which rows may enter or leave a list without a write. */
import type { Collection } from '../collection/declaration.ts';
import { nextMidnight } from '../collection/types/time/moving-moment.ts';
import type { Encoding } from '../encode/encoding.ts';
import { NEWEST } from '../engine/engine.ts';
import type { Reader } from '../engine/row-store.ts';
import { isMoving, type MovingCompare, valueAt } from '../plan/at-moment.ts';
import type { Expression, Predicate, ReadPlan } from '../plan/types.ts';
import { readWhole } from '../response/body.ts';
import type { FeedPlan } from './step.ts';

const VALUES: Encoding = { format: 'json', stripNulls: false, columns: ['value'] };

/** In milliseconds. For each compared field it is the first value after now, which an index finds. */
export async function nextMoment(reader: Reader, { list, matching }: FeedPlan, now: number): Promise<number> {
  const found = new Map<string, Test>();
  for (const plan of matching === undefined ? [list] : [list, matching]) {
    for (const each of testsOf(plan)) found.set(`${each.from.name} ${JSON.stringify(each.test)}`, each);
  }
  const moments = await Promise.all([...found.values()].map((each) => momentOf(reader, each, now)));
  return Math.min(Number.POSITIVE_INFINITY, ...moments);
}

interface Test {
  readonly from: Collection;
  readonly test: MovingCompare;
}

async function momentOf(reader: Reader, { from, test }: Test, now: number): Promise<number> {
  const { of, moving } = test;
  const { passedAt } = of.type;
  if (moving.word !== 'now' || passedAt === undefined) return nextMidnight(moving.zone, now);
  const plan: ReadPlan = {
    kind: 'read',
    from,
    columns: [{ name: 'value', expression: of }],
    order: [{ expression: of, descending: false, nulls: 'last' }],
    where: { kind: 'compare', of, operator: '>', value: valueAt(test, now) },
    offset: 0,
    limit: 1,
  };
  const { body } = await readWhole(await reader.read(plan, VALUES, NEWEST));
  const [row] = JSON.parse(body) as { readonly value: string }[];
  // An infinite time is not a number.
  return (row === undefined ? Number.NaN : passedAt(row.value)) || Number.POSITIVE_INFINITY;
}

function testsOf({ from, columns, where }: Pick<ReadPlan, 'from' | 'columns' | 'where'>): readonly Test[] {
  return [...columns.flatMap(({ expression }) => testsInExpression(expression)), ...testsIn(from, where)];
}

function testsInExpression(expression: Expression): readonly Test[] {
  if (expression.kind === 'embed') return [...testsOf(expression.plan), ...testsBetween(expression)];
  return 'of' in expression ? testsInExpression(expression.of) : [];
}

function testsIn(from: Collection, predicate: Predicate): readonly Test[] {
  if ('terms' in predicate) return predicate.terms.flatMap((term) => testsIn(from, term));
  if (predicate.kind === 'not') return testsIn(from, predicate.term);
  if (predicate.kind === 'exists')
    return [...testsIn(predicate.relation.to, predicate.where), ...testsBetween(predicate)];
  const own = isMoving(predicate) ? [{ from, test: predicate }] : [];
  return predicate.kind === 'constant' ? own : [...own, ...testsInExpression(predicate.of)];
}

function testsBetween({ relation, between }: Pick<Extract<Predicate, { kind: 'exists' }>, 'relation' | 'between'>) {
  return between === undefined ? [] : testsIn(relation.through!.collection, between);
}
