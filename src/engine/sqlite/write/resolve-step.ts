/** Replaces placeholders in a step by values that earlier steps of the job returned. */
import type { Collection } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import type { EarlierValue } from '../../../plan/write/earlier-value.ts';
import type { WriteResult } from '../../engine.ts';
import { resolveValue } from '../../shared/earlier-values.ts';
import { sqliteDialect } from '../dialect.ts';
import type { Step } from './jobs.ts';

export function resolveStep(step: Step, collection: Collection, results: readonly WriteResult[]): Step {
  const resolve = (value: Value): Value => {
    if (typeof value !== 'object' || value === null) return value;
    const { type } = collection.byName.get((value as EarlierValue).target)!;
    return sqliteDialect.stored(resolveValue(value, collection, results), type);
  };
  switch (step.kind) {
    case 'insert':
      return { ...step, rows: step.rows.map((row) => row.map(resolve)) };
    case 'change':
      return {
        ...step,
        statement: { ...step.statement, params: step.statement.params.map(resolve) },
        set: Object.fromEntries(Object.entries(step.set).map(([name, value]) => [name, resolve(value)])),
      };
    case 'change-each':
      return { ...step, changes: step.changes.map(({ shape, params }) => ({ shape, params: params.map(resolve) })) };
  }
}
