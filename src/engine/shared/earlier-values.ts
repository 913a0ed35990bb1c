/** Replaces placeholders in a plan by values that earlier writes of the same list returned. */
import { runToEnd } from '../../base/cooperative.ts';
import { ApiError } from '../../base/errors.ts';
import { MAX_RETURNED_BYTES } from '../../base/limits/engine.ts';
import { memoize } from '../../base/memo.ts';
import type { Collection } from '../../collection/declaration.ts';
import { parseJson } from '../../collection/exact-json.ts';
import type { Value } from '../../collection/value.ts';
import { checkRules, coerce, withLocation } from '../../plan/coerce.ts';
import { rejectRepeatedKeys, valuesOf } from '../../plan/resolve.ts';
import type { EarlierValue } from '../../plan/write/earlier-value.ts';
import { computation, nullViolation } from '../../plan/write/row-planner.ts';
import { type Assignment, isOperation, type WritePlan } from '../../plan/write-plan.ts';
import type { WriteResult } from '../engine.ts';

/** The values that the writes of a list take from earlier ones. */
export class EarlierValues {
  private bytes = 0;
  private readonly resolved = new Map<string, Value>();

  constructor(private readonly results: readonly WriteResult[]) {}

  /**
   * The value itself, or the one that it stands for. Only a placeholder is an object, also on another thread. Many rows
   * may take one long text, so the values are limited together.
   */
  resolve<V extends Value | undefined>(value: V, collection: Collection): V | Value {
    if (typeof value !== 'object' || value === null) return value;
    const { request, column, target } = value as unknown as EarlierValue;
    const name = JSON.stringify([request, column, collection.name, target]);
    const known = this.resolved.get(name);
    const resolved = known === undefined ? this.read(value as unknown as EarlierValue, collection) : known;
    this.resolved.set(name, resolved);
    this.bytes += typeof resolved === 'string' ? resolved.length : 0;
    if (this.bytes > MAX_RETURNED_BYTES) throw tooManyBytes();
    return resolved;
  }

  private read({ request, column, target }: EarlierValue, collection: Collection): Value {
    const field = collection.byName.get(target)!;
    try {
      const value = coerce(field, returnedRow(this.results[request]!, request)[column] ?? null);
      if (value === null && field.required) throw nullViolation(collection, field);
      checkRules(collection, field, value);
      return value;
    } catch (error) {
      throw withLocation(error, undefined, field);
    }
  }
}

export function resolvePlan(plan: WritePlan, values: EarlierValues): WritePlan {
  const { into } = plan;
  const resolve = <V extends Value | undefined>(value: V) => values.resolve(value, into);
  const resolveSet = (set: readonly Assignment[]) =>
    set.map((each) => (isOperation(each) ? each : { ...each, value: resolve(each.value) }));
  switch (plan.kind) {
    case 'insert': {
      const compute = computation(into);
      const rows = plan.rows.map((given, index) => {
        const row = given.map(resolve);
        compute(row, (at, error) => {
          throw withLocation(error, index, into.fields[at]!, plan.rows.length > 1);
        });
        return row;
      });
      if (typeof plan.conflict === 'object' && plan.conflict.overwrite.length > 0) {
        const { on } = plan.conflict;
        const keys = rows.map((row) => valuesOf(into, on, row));
        runToEnd(rejectRepeatedKeys(on, keys));
      }
      return { ...plan, rows };
    }
    case 'update':
      return { ...plan, set: resolveSet(plan.set) };
    case 'update-each': {
      const changes = plan.changes.map(({ key, set }) => ({ key: key.map(resolve), set: resolveSet(set) }));
      const keys = changes.map(({ key }) => key);
      runToEnd(rejectRepeatedKeys(plan.by, keys));
      return { ...plan, changes };
    }
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
    nothingChanged: true,
    hint: '$from needs a request that affects exactly one row.',
  });
}

function tooManyBytes(): ApiError {
  return new ApiError('54000', `values of earlier requests may have ${MAX_RETURNED_BYTES} bytes together`, {
    nothingChanged: true,
    hint: 'Store a long value in fewer rows.',
  });
}
