/** Logs slow queries with the engine's query plan. A plan contains nothing of a body. */

import type { Engine } from '../engine/engine.ts';
import { ALWAYS, type ReadPlan, type WritePlan } from '../plan/types.ts';
import type { CompletedRequest } from '../response/request-context.ts';
import type { Log } from './log.ts';

export function logSlowQueries(
  log: Log,
  engine: () => Engine | undefined,
  thresholdMs: number,
): (answer: CompletedRequest) => void {
  return ({ started, milliseconds, plan, call: { method }, id, rows }) => {
    if (milliseconds < thresholdMs || plan === undefined || !log.enabled('warn')) return;
    // Waiting for an unavailable database does not make a query slow.
    const downtimeMs = engine()?.downtimeSince?.(started) ?? 0;
    if (milliseconds - downtimeMs < thresholdMs) return;
    const fields = { id, method, ms: Math.round(milliseconds - downtimeMs), rows };
    const read = findRows(plan);
    if (read === undefined) return log.write('warn', 'slow query', fields);
    // Asks for the plan after the response.
    setImmediate(async () => {
      try {
        const explained = await engine()?.explain?.(read, [], 'text');
        log.write('warn', 'slow query', { ...fields, plan: explained && String(explained.plan) });
      } catch {
        log.write('warn', 'slow query', fields);
      }
    });
  };
}

/** The read that finds the rows of a read or write. */
function findRows(plan: ReadPlan | WritePlan): ReadPlan | undefined {
  if (plan.kind === 'read') return plan;
  if (plan.kind !== 'update' && plan.kind !== 'delete') return undefined;
  const { where = ALWAYS, bound } = plan;
  return { kind: 'read', from: plan.into, columns: [], order: bound?.order ?? [], where, offset: bound?.offset ?? 0 };
}
