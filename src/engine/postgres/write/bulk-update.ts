/** A bulk update: each object identifies its row by key and changes its other fields, in order. */

import { ApiError } from '../../../base/errors.ts';
import { MAX_RETURNED_BYTES } from '../../../base/limits/engine.ts';
import { type Collection, type Field, isKey } from '../../../collection/declaration.ts';
import { rowDenied } from '../../../collection/permission-errors.ts';
import type { Row, Value } from '../../../collection/value.ts';
import { andAlso } from '../../../plan/access/permissions.ts';
import { ALWAYS, isAlways, type UpdateEachPlan } from '../../../plan/types.ts';
import { missingRow, notInFilter, returnTooLarge } from '../../shared/write-checks.ts';
import { query, type Runner } from '../driver.ts';
import {
  type Answer,
  compileLock,
  compileShown,
  compileUpdateMany,
  type WriteContext,
  type Written,
} from './statements.ts';

interface Met {
  readonly 'the key': readonly string[];
  readonly 'the row'?: string;
  readonly 'is allowed'?: boolean;
}

/** A longer statement would delay other requests. */
const MOST_IN_A_RUN = 1_000;

type Change = UpdateEachPlan['changes'][number];

export async function bulkUpdate(
  runner: Runner,
  context: WriteContext,
  plan: UpdateEachPlan,
  wanted: Answer | undefined,
  limitMs: number,
): Promise<Written> {
  const { collection } = context;
  const end = performance.now() + limitMs;
  const met = andAlso(plan.restriction?.met ?? ALWAYS, plan.among ?? ALWAYS);
  const restriction = isAlways(met) ? plan.restriction : { ...plan.restriction, met };
  const missing = plan.among === undefined ? missingRow : notInFilter;
  await query(
    runner,
    compileLock(
      context,
      plan.changes.map(({ key }) => key),
      restriction?.met,
    ),
  );
  const changed: string[] = [];
  let done = 0;
  let bytes = 0;
  for (const run of runsOf(collection, plan.changes)) {
    // The server limits only each single statement.
    if (performance.now() > end) throw tooManySteps();
    const fields = run[0]!.set.map(({ field }) => field);
    const rows = run.map(({ key, set }) => [...key, ...set.map(({ value }) => value)]);
    const found = await query<Met>(runner, compileUpdateMany(context, fields, rows, wanted !== undefined, restriction));
    if (found.some((row) => row['is allowed'] === false)) throw rowDenied(collection.name);
    const byKey = new Map(found.map((row) => [row['the key'].join('\0'), row['the row'] ?? '']));
    for (const [index, { key }] of run.entries()) {
      const row = byKey.get(key.map((value, at) => collection.key[at]!.type.print(value)).join('\0'));
      if (row === undefined) throw missing(collection, key, done + index);
      if (wanted !== undefined) changed.push(row);
      bytes += row.length;
    }
    done += run.length;
    if (bytes > MAX_RETURNED_BYTES) throw returnTooLarge();
  }
  const counts = { affected: plan.changes.length, inserted: 0, key: null };
  if (wanted === undefined) return counts;
  const [shown] = await query<{ rows: readonly Row[] }>(
    runner,
    compileShown(context, wanted, `[${changed.join(',')}]`),
  );
  return { ...counts, rows: shown!.rows };
}

/**
 * Consecutive changes of the same fields on different rows share a statement, up to a limit. A changed key runs alone,
 * and so does a change that will be rejected: the first of several errors is reported.
 */
function runsOf(collection: Collection, changes: readonly Change[]): Change[][] {
  const runs: Change[][] = [];
  let keys = new Set<string>();
  let signature = '';
  for (const change of changes) {
    const names = change.set.map(({ field }) => field.name);
    const goesAlone = change.set.some(({ field, value }) => isKey(collection, field) || isRefused(field, value));
    const isOther = goesAlone || names.join() !== signature || keys.has(change.key.join('\0'));
    if (isOther || runs.length === 0 || runs.at(-1)!.length === MOST_IN_A_RUN) {
      runs.push([]);
      keys = new Set();
      signature = goesAlone ? 'alone' : names.join();
    }
    runs.at(-1)!.push(change);
    keys.add(change.key.join('\0'));
  }
  return runs;
}

function isRefused(field: Field, value: Value): boolean {
  return field.required === true && value === null;
}

function tooManySteps(): ApiError {
  return new ApiError('57014', 'canceling statement due to statement timeout', {
    details: 'Nothing was changed.',
    hint: 'Send fewer rows at a time, and those that set the same fields one behind the other; or raise --query-timeout.',
  });
}
