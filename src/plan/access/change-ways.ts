/** The ways in which a write changes the fields that the client names, for rules with `operations`. */
import type { ChangeWay } from '../../collection/types/operations.ts';
import { type Assignment, isOperation, type UpdateEachPlan, type UpdatePlan } from '../types.ts';

export const SETS: ReadonlySet<ChangeWay> = new Set(['set']);

export function changeWays(plan: UpdatePlan | UpdateEachPlan): ReadonlySet<ChangeWay> {
  const assignments = plan.kind === 'update' ? plan.set : plan.changes.flatMap(({ set }) => set);
  return new Set(assignments.filter(({ field }) => plan.given.includes(field)).map(wayOf));
}

/** To increment by a negative number is to decrement, and the reverse. */
function wayOf(assignment: Assignment): ChangeWay {
  if (!isOperation(assignment)) return 'set';
  const { operation, operand } = assignment;
  const isNegative = String(operand).startsWith('-');
  if (isNegative && operation === 'increment') return 'decrement';
  return isNegative && operation === 'decrement' ? 'increment' : operation;
}
