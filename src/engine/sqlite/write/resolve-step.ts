/** Replaces placeholders in a step by values that earlier steps of the job returned. */
import { runToEnd } from '../../../base/cooperative.ts';
import type { Collection } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { rejectRepeatedKeys } from '../../../plan/keys.ts';
import type { EarlierValue } from '../../../plan/write/earlier-value.ts';
import type { EarlierValues } from '../../shared/earlier-values.ts';
import { sqliteDialect } from '../dialect.ts';
import { valueIn } from '../functions/stored-values.ts';
import type { Step } from './jobs.ts';

export function resolveStep(step: Step, collection: Collection, values: EarlierValues): Step {
  const { fields, byName } = collection;
  const resolve = (value: Value): Value => {
    if (typeof value !== 'object' || value === null) return value;
    const { type } = byName.get((value as EarlierValue).target)!;
    return sqliteDialect.stored(values.resolve(value, collection), type);
  };
  const rejectRepeated = (by: Collection['fields'], keys: readonly (readonly Value[])[]) => {
    const read = keys.map((key) => key.map((value, at) => valueIn(by[at]!.type, value)));
    runToEnd(rejectRepeatedKeys(by, read));
  };
  switch (step.kind) {
    case 'insert': {
      const rows = step.rows.map((row) => row.map(resolve));
      const places = step.meets?.places;
      if (places !== undefined) {
        rejectRepeated(
          places.map((at) => fields[at]!),
          rows.map((row) => places.map((at) => row[at] ?? null)),
        );
      }
      return { ...step, rows };
    }
    case 'change':
      return {
        ...step,
        statement: { ...step.statement, params: step.statement.params.map(resolve) },
        set: Object.fromEntries(Object.entries(step.set).map(([name, value]) => [name, resolve(value)])),
      };
    case 'change-each': {
      const changes = step.changes.map(({ shape, params }) => ({ shape, params: params.map(resolve) }));
      const by = step.shapes[0]?.by.map((name) => byName.get(name)!) ?? [];
      rejectRepeated(
        by,
        changes.map(({ params }) => params.slice(params.length - by.length)),
      );
      return { ...step, changes };
    }
  }
}
