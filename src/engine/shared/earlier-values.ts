/** Replaces placeholders in a plan by values that earlier writes of the same list returned. */
import { ApiError } from '../../base/errors.ts';
import { memoize } from '../../base/memo.ts';
import type { Collection } from '../../collection/declaration.ts';
import { parseJson } from '../../collection/exact-json.ts';
import type { Value } from '../../collection/value.ts';
import { coerce, withLocation } from '../../plan/coerce.ts';
import { checkRules } from '../../plan/field-rules.ts';
import { type Assignment, isOperation, type WritePlan } from '../../plan/types.ts';
import type { EarlierValue } from '../../plan/write/earlier-value.ts';
import { nullViolation } from '../../plan/write/row-planner.ts';
import type { WriteResult } from '../engine.ts';

/** The value itself, or the one that it stands for. Only a placeholder is an object, also on another thread. */
export function resolveValue<V extends Value | undefined>(
  value: V,
  collection: Collection,
  results: readonly WriteResult[],
): V | Value {
  if (typeof value !== 'object' || value === null) return value;
  const { request, column, target } = value as unknown as EarlierValue;
  const field = collection.byName.get(target)!;
  try {
    const resolved = coerce(field, returnedRow(results[request]!, request)[column] ?? null);
    if (resolved === null && field.required) throw nullViolation(collection, field);
    checkRules(collection, field, resolved);
    return resolved;
  } catch (error) {
    throw withLocation(error, undefined, field);
  }
}

export function resolvePlan(plan: WritePlan, results: readonly WriteResult[]): WritePlan {
  const resolve = <V extends Value | undefined>(value: V) => resolveValue(value, plan.into, results);
  const resolveSet = (set: readonly Assignment[]) =>
    set.map((each) => (isOperation(each) ? each : { ...each, value: resolve(each.value) }));
  switch (plan.kind) {
    case 'insert':
      return { ...plan, rows: plan.rows.map((row) => row.map(resolve)) };
    case 'update':
      return { ...plan, set: resolveSet(plan.set) };
    case 'update-each':
      return {
        ...plan,
        changes: plan.changes.map(({ key, set }) => ({ key: key.map(resolve), set: resolveSet(set) })),
      };
    case 'delete':
      return plan;
  }
}

type ReturnedRow = Readonly<Record<string, unknown>>;

const returnedRows = memoize(
  ({ body = '[]' }: WriteResult) => [parseJson(body)].flat() as unknown as readonly ReturnedRow[],
);

function returnedRow(result: WriteResult, request: number): ReturnedRow {
  const rows = returnedRows(result);
  if (rows.length === 1) return rows[0]!;
  throw new ApiError('21000', `request ${request} affected ${rows.length} rows, so it gives no single value`, {
    details: 'Nothing was changed.',
    hint: '$from needs a request that affects exactly one row.',
  });
}
