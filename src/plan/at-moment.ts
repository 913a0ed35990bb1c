/** Binds `{now}`, `today` and the like in a plan to one time. All comparisons of a request use the same. */
import { memoize } from '../base/memo.ts';
import type { Relation } from '../collection/relations.ts';
import { changed, mapped, PlanMap } from './map-plan.ts';
import type { Expression, Predicate, ReadPlan, WritePlan } from './types.ts';

type Compare = Extract<Predicate, { kind: 'compare' }>;

/** A comparison with a moving value. */
export type MovingCompare = Compare & { readonly moving: NonNullable<Compare['moving']> };

export function isMoving(predicate: Predicate): predicate is MovingCompare {
  return predicate.kind === 'compare' && predicate.moving !== undefined;
}

/** The value of a comparison at a time in milliseconds. */
export function valueAt({ of, moving }: MovingCompare, at: number) {
  return of.type.moving!(moving, at);
}

/** Whether a plan depends on the time at which it runs. */
export function isTimed(plan: ReadPlan | WritePlan): boolean {
  if (plan.kind === 'read') return readMoves(plan);
  const { returning, restriction = {}, preconditions = [] } = plan;
  return (
    ('where' in plan && moves(plan.where)) ||
    ('among' in plan && plan.among !== undefined && moves(plan.among)) ||
    (returning !== undefined && readMoves(returning)) ||
    Object.values(restriction as Record<string, Predicate>).some(moves) ||
    preconditions.some(({ seen }) => seen !== undefined && moves(seen.where))
  );
}

/** The same plan at a time in milliseconds. */
export function atMoment<Plan extends ReadPlan | WritePlan>(plan: Plan, at: number): Plan {
  if (!isTimed(plan)) return plan;
  const map = new AtMoment(at);
  return (plan.kind === 'read' ? map.read(plan) : map.write(plan)) as Plan;
}

export function predicateAt(predicate: Predicate, at: number): Predicate {
  return moves(predicate) ? new AtMoment(at).predicate(predicate) : predicate;
}

type Read = Pick<ReadPlan, 'columns' | 'order' | 'groupBy' | 'where' | 'log'>;

function readMoves({ columns, order, groupBy = [], where, log = [] }: Read): boolean {
  return (
    moves(where) ||
    listMoves(columns) ||
    listMoves(order) ||
    groupBy.some(expressionMoves) ||
    log.some((view) => moves(view.where))
  );
}

/** Memoized, since requests share columns. */
const listMoves = memoize((list: readonly { readonly expression: Expression }[]) =>
  list.some(({ expression }) => expressionMoves(expression)),
);

function expressionMoves(expression: Expression): boolean {
  if (expression.kind === 'embed')
    return readMoves(expression.plan) || (expression.between !== undefined && moves(expression.between));
  return 'of' in expression && expressionMoves(expression.of);
}

function moves(predicate: Predicate): boolean {
  if ('terms' in predicate) return predicate.terms.some(moves);
  if (predicate.kind === 'not') return moves(predicate.term);
  if (predicate.kind === 'constant') return false;
  if (predicate.kind !== 'exists') return isMoving(predicate) || expressionMoves(predicate.of);
  const { where, between, groupBy = [] } = predicate;
  return moves(where) || (between !== undefined && moves(between)) || groupBy.some(expressionMoves);
}

class AtMoment extends PlanMap {
  constructor(private readonly at: number) {
    super();
  }

  protected rows({ where }: Pick<ReadPlan, 'where'>): Predicate {
    return this.predicate(where);
  }

  protected between(_: Relation, between: Predicate | undefined): Predicate | undefined {
    return between && this.predicate(between);
  }

  protected override test(predicate: Parameters<PlanMap['test']>[0]): Predicate {
    if (isMoving(predicate)) return { ...predicate, value: valueAt(predicate, this.at) };
    return super.test(predicate);
  }

  override read(plan: ReadPlan): ReadPlan {
    const { log } = plan;
    const bound = super.read(plan);
    if (log === undefined) return bound;
    return changed(bound, { log: mapped(log, (view) => changed(view, { where: this.predicate(view.where) })) });
  }

  write(plan: WritePlan): WritePlan {
    const { returning, restriction, preconditions } = plan;
    const seenAt = (seen: { readonly where: Predicate }) => changed(seen, { where: this.predicate(seen.where) });
    return changed(plan, {
      ...('where' in plan && { where: this.predicate(plan.where) }),
      ...('among' in plan && plan.among && { among: this.predicate(plan.among) }),
      ...(returning && { returning: changed(this.shape(returning), { where: this.predicate(returning.where) }) }),
      ...(restriction && {
        restriction: Object.fromEntries(
          Object.entries(restriction).map(([name, rule]) => [name, this.predicate(rule as Predicate)]),
        ),
      }),
      ...(preconditions && {
        preconditions: preconditions.map((each) => (each.seen ? { ...each, seen: seenAt(each.seen) } : each)),
      }),
    } as Partial<WritePlan>);
  }
}
