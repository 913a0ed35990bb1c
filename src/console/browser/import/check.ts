/** Lets the service check the planned rows: a dry run (`tx=rollback`) that lists all errors (`errors=all`). */
import { type Collection, labelOf, type Row } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { type Problem, problemOf } from '../api/errors.ts';
import { explainProblem } from '../api/explain.ts';
import { encodeValue, pathOf, printName } from '../api/query/filter-text.ts';
import { keyOf } from '../api/query/keys.ts';
import { t } from '../i18n/text.ts';
import type { Fault, RowPlan } from './plan.ts';

export const ROWS_PER_REQUEST = 1_000;
/** The service lists 1,000 errors. Rows after them are checked in a further request. */
const MAX_REQUESTS = 20;

type Sent = Extract<RowPlan, { kind: 'new' | 'change' | 'exists' }>;

/** The body of a row: a new row, or the key of a stored row with its changes. */
export function bodyOf(collection: Collection, plan: Sent): Row {
  return plan.kind === 'new' ? plan.row : { ...keyOf(collection, plan.stored), ...plan.changes };
}

/** Every field that any row names, so that rows can name different fields. */
export function columnsOf({ fields }: Collection, rows: readonly Row[]): string {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const given = fields.filter(({ name }) => names.has(name));
  return encodeValue(given.map(({ name }) => printName(name)).join(','));
}

/** Caches the results, so that a later check only sends rows that changed. */
export class Checker {
  private readonly known = new Map<string, readonly Fault[]>();

  constructor(private readonly collection: Collection) {}

  /** Returns the plans with every rejected row marked as bad. */
  async check(rowPlans: readonly RowPlan[], onProgress: (done: number) => void): Promise<readonly RowPlan[]> {
    const textOf = (plan: Sent) => `${plan.kind === 'new'} ${JSON.stringify(bodyOf(this.collection, plan))}`;
    let done = 0;
    for (const isNew of [true, false]) {
      const plans = rowPlans.filter((plan): plan is Sent => isSent(plan) && (plan.kind === 'new') === isNew);
      for (let start = 0; start < plans.length; start += ROWS_PER_REQUEST) {
        const part = plans.slice(start, start + ROWS_PER_REQUEST);
        const unknown = part.filter((plan) => !this.known.has(textOf(plan)));
        const faults = await this.faultsOf(unknown, isNew);
        for (const plan of unknown) this.known.set(textOf(plan), faults.get(plan) ?? []);
        done += part.length;
        onProgress(done);
      }
    }
    return rowPlans.map((plan) => {
      const faults = isSent(plan) ? this.known.get(textOf(plan))! : [];
      return faults.length === 0 ? plan : { kind: 'bad', faults };
    });
  }

  private async faultsOf(plans: readonly Sent[], isNew: boolean): Promise<ReadonlyMap<Sent, readonly Fault[]>> {
    const faults = new Map<Sent, Fault[]>();
    let left = plans.filter((plan) => isNew || Object.keys((plan as { changes: Row }).changes).length > 0);
    for (let requests = 0; left.length > 0 && requests < MAX_REQUESTS; requests++) {
      const sent = left;
      const errors = await this.dryRun(sent, isNew);
      const rejected = new Set(errors.map(({ index }) => index));
      for (const error of errors)
        for (const plan of error.index === undefined ? sent : [sent[error.index]!]) {
          // The row that the reference names does not exist yet.
          if (error.field !== undefined && error.field in plan.pending) continue;
          faults.set(plan, [...(faults.get(plan) ?? []), faultOf(this.collection, error)]);
        }
      left = errors.length === 0 || rejected.has(undefined) ? [] : sent.filter((_plan, at) => !rejected.has(at));
    }
    return faults;
  }

  private async dryRun(plans: readonly Sent[], isNew: boolean): Promise<readonly Problem[]> {
    const body = plans.map((plan) => bodyOf(this.collection, plan));
    const path = pathOf(this.collection);
    const keys = encodeValue(this.collection.key.map(({ name }) => printName(name)).join(','));
    try {
      await ask(isNew ? `${path}?columns=${columnsOf(this.collection, body)}` : `${path}?on_conflict=${keys}`, {
        method: isNew ? 'POST' : 'PATCH',
        headers: { prefer: `return=minimal,tx=rollback,errors=all${isNew ? ',missing=default' : ''}` },
        body,
      });
      return [];
    } catch (error) {
      const errors = problemOf(error)?.errors;
      if (errors === undefined) throw error;
      return errors;
    }
  }
}

function isSent(plan: RowPlan): plan is Sent {
  return plan.kind === 'new' || plan.kind === 'change' || plan.kind === 'exists';
}

export function faultOf({ byName }: Collection, problem: Problem): Fault {
  const field = byName.get(problem.field?.split(',')[0] ?? '');
  if (field === undefined) return { message: explainProblem(problem) };
  return { field: field.name, message: t.errors.inField(labelOf(field), explainProblem(problem, field)) };
}
