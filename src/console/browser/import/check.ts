/** Lets the service check the planned rows: a dry run (`tx=rollback`) that lists all errors (`errors=all`). */
import { type Collection, labelOf, type Row } from '../api/catalogue.ts';
import { ask } from '../api/client.ts';
import { type Problem, problemOf } from '../api/errors.ts';
import { explainProblem } from '../api/explain.ts';
import { encodeValue, keyOf, pathOf, printName } from '../api/query/text.ts';
import { t } from '../i18n/text.ts';
import { askOnce, ROWS_PER_REQUEST } from './ask-once.ts';
import type { Fault, RowPlan } from './plan.ts';

/** The service lists 1,000 errors. Rows after them are checked in a further request. */
const MAX_REQUESTS = 20;

type Sent = Extract<RowPlan, { kind: 'new' | 'change' | 'exists' }>;

/** The body of a row: a new row, or the key of a stored row with its changes. */
export function bodyOf(collection: Collection, plan: Sent): Row {
  return plan.kind === 'new' ? plan.row : { ...keyOf(collection, plan.stored), ...plan.changes };
}

/** The parameter with every field that any row names, so that rows can name different fields. */
export function columnsOf({ fields }: Collection, rows: readonly Row[]): string {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const given = fields.filter(({ name }) => names.has(name));
  return given.length === 0 ? '' : `columns=${encodeValue(given.map(({ name }) => printName(name)).join(','))}`;
}

/** Returns the plans with every rejected row marked as bad. */
export async function checkRows(
  collection: Collection,
  rowPlans: readonly RowPlan[],
  onProgress: (done: number) => void,
): Promise<readonly RowPlan[]> {
  const faults = new Map<RowPlan, Fault[]>();
  for (let start = 0; start < rowPlans.length; start += ROWS_PER_REQUEST) {
    const part = rowPlans.slice(start, start + ROWS_PER_REQUEST).filter(isSent);
    await findFaults(collection, part.filter(isNew), faults);
    await findFaults(collection, part.filter(isChange), faults);
    onProgress(Math.min(start + ROWS_PER_REQUEST, rowPlans.length));
  }
  return rowPlans.map((plan) => (faults.has(plan) ? { kind: 'bad', faults: faults.get(plan)! } : plan));
}

/** Finds the faults of rows that are all new, or all stored. */
async function findFaults(
  collection: Collection,
  plans: readonly Sent[],
  faults: Map<RowPlan, Fault[]>,
): Promise<void> {
  let left = plans;
  for (let requests = 0; left.length > 0 && requests < MAX_REQUESTS; requests++) {
    const sent = left;
    const errors = await dryRun(collection, sent);
    const rejected = new Set(errors.map(({ index }) => index));
    for (const error of errors)
      for (const plan of error.index === undefined ? sent : [sent[error.index]!]) {
        // The row that the reference names does not exist yet.
        if (error.field !== undefined && error.field in plan.pending) continue;
        faults.set(plan, [...(faults.get(plan) ?? []), faultOf(collection, error)]);
      }
    left = errors.length === 0 || rejected.has(undefined) ? [] : sent.filter((_plan, at) => !rejected.has(at));
  }
}

function dryRun(collection: Collection, plans: readonly Sent[]): Promise<readonly Problem[]> {
  const body = plans.map((plan) => bodyOf(collection, plan));
  const areNew = isNew(plans[0]!);
  const keys = encodeValue(collection.key.map(({ name }) => printName(name)).join(','));
  const query = areNew ? columnsOf(collection, body) : `on_conflict=${keys}`;
  return askOnce(['check', collection.name, areNew, body], async () => {
    try {
      await ask(`${pathOf(collection)}?${query}`, {
        method: areNew ? 'POST' : 'PATCH',
        headers: { prefer: `return=minimal,tx=rollback,errors=all${areNew ? ',missing=default' : ''}` },
        body,
      });
      return [];
    } catch (error) {
      const errors = problemOf(error)?.errors;
      if (errors === undefined) throw error;
      return errors;
    }
  });
}

const isNew = (plan: Sent): boolean => plan.kind === 'new';
const isChange = (plan: Sent): boolean => plan.kind !== 'new' && Object.keys(plan.changes).length > 0;

function isSent(plan: RowPlan): plan is Sent {
  return plan.kind === 'new' || plan.kind === 'change' || plan.kind === 'exists';
}

export function faultOf({ byName }: Collection, problem: Problem): Fault {
  const field = byName.get(problem.field?.split(',')[0] ?? '');
  if (field === undefined) return { message: explainProblem(problem) };
  return { field: field.name, message: t.errors.inField(labelOf(field), explainProblem(problem, field)) };
}
