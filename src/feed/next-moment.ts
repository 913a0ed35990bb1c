/** The next time at which rows may enter or leave a list without a write. */
import type { Collection } from '../collection/declaration.ts';
import { nextMidnight } from '../collection/types/time/moving-moment.ts';
import type { Encoding } from '../encode/encoding.ts';
import { NEWEST } from '../engine/engine.ts';
import type { Reader } from '../engine/row-store.ts';
import { Names } from '../plan/access/named-fields.ts';
import { isMoving, type MovingCompare, valueAt } from '../plan/at-moment.ts';
import type { ReadPlan } from '../plan/types.ts';
import { readWhole } from '../response/body.ts';
import type { FeedPlan } from './step.ts';

const VALUES: Encoding = { format: 'json', stripNulls: false, columns: ['value'] };

/** In milliseconds. For each compared field it is the first value after now, which an index finds. */
export async function nextMoment(reader: Reader, { list, matching }: FeedPlan, now: number): Promise<number> {
  const tests = new MovingTests();
  for (const plan of matching === undefined ? [list] : [list, matching]) tests.ofRead(plan);
  const moments = await Promise.all([...tests.moving.values()].map((each) => momentOf(reader, each, now)));
  return Math.min(Number.POSITIVE_INFINITY, ...moments);
}

interface Test {
  readonly from: Collection;
  readonly test: MovingCompare;
}

class MovingTests extends Names {
  readonly moving = new Map<string, Test>();

  protected override ofTest(...[from, test]: Parameters<Names['ofTest']>): void {
    if (isMoving(test)) this.moving.set(`${from.name} ${JSON.stringify(test)}`, { from, test });
    super.ofTest(from, test);
  }
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
