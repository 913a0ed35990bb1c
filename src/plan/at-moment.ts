/** Binds `{now}`, `today` and the like in a plan to one time. All comparisons of a request use the same. */
import { memoize } from '../base/memo.ts';
import { changed, mapped, PlanMap } from './map-plan.ts';
import type { Predicate, ReadPlan } from './types.ts';
import type { WritePlan } from './write-plan.ts';

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
  return ANY_TIME.plan(plan) !== plan;
}

/** The rules of a role are the same objects for all its requests. */
const isTimedRule = memoize((predicate: Predicate) => ANY_TIME.predicate(predicate) !== predicate);

/** The same plan at a time in milliseconds. */
export function atMoment<Plan extends ReadPlan | WritePlan>(plan: Plan, at: number): Plan {
  return isTimed(plan) ? (new AtMoment(at).plan(plan) as Plan) : plan;
}

export function predicateAt(predicate: Predicate, at: number): Predicate {
  return isTimedRule(predicate) ? new AtMoment(at).predicate(predicate) : predicate;
}

class AtMoment extends PlanMap {
  constructor(private readonly at: number) {
    super();
  }

  plan(plan: ReadPlan | WritePlan): ReadPlan | WritePlan {
    return plan.kind === 'read' ? this.read(plan) : this.write(plan);
  }

  protected override test(predicate: Parameters<PlanMap['test']>[0]): Predicate {
    if (isMoving(predicate)) return { ...predicate, value: valueAt(predicate, this.at) };
    return super.test(predicate);
  }

  override read(plan: ReadPlan): ReadPlan {
    const { log, search } = plan;
    if (log === undefined && search === undefined) return super.read(plan);
    const visible = search && mapped(search.visible, (rows) => this.predicate(rows));
    return changed(super.read(plan), {
      ...(log && { log: mapped(log, (view) => this.tested(view)) }),
      ...(visible && { search: changed(search, { visible }) }),
    });
  }

  private write(plan: WritePlan): WritePlan {
    const { returning, restriction, preconditions } = plan;
    const ruled = Object.entries(restriction ?? {}).map(([name, rule]) => [name, this.predicate(rule)]);
    return changed(plan, {
      ...('where' in plan && { where: this.predicate(plan.where) }),
      ...('among' in plan && plan.among && { among: this.predicate(plan.among) }),
      ...(returning && { returning: this.tested(this.shape(returning)) }),
      ...(restriction && { restriction: changed(restriction, Object.fromEntries(ruled)) }),
      ...(preconditions && {
        preconditions: mapped(preconditions, (each) =>
          each.seen === undefined ? each : changed(each, { seen: this.tested(each.seen) }),
        ),
      }),
    } as Partial<WritePlan>);
  }

  private tested<Of extends { readonly where: Predicate }>(of: Of): Of {
    return changed(of, { where: this.predicate(of.where) } as Partial<Of>);
  }
}

/** Finds moving values, which it would change. It caches the columns and orders that requests share. */
const ANY_TIME = new AtMoment(0);
