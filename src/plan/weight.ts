/** Estimates the memory of a plan: a few characters of a body may become a row of many fields. */
import type { WritePlan } from './types.ts';

const ROW_BYTES = 100;
const CELL_BYTES = 16;
/** Each change of a bulk update may need its own statement. */
const CHANGE_BYTES = 1_000;

export function planBytes(plan: WritePlan): number {
  if (plan.kind === 'insert') return plan.rows.length * (ROW_BYTES + CELL_BYTES * plan.into.fields.length);
  return plan.kind === 'update-each' ? plan.changes.length * CHANGE_BYTES : 0;
}
