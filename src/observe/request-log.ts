/** Logs requests. */
import { ApiError, isUnexpected } from '../base/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { pathAndQuery } from '../http/call.ts';
import { ALWAYS, type ReadPlan } from '../plan/types.ts';
import type { WritePlan } from '../plan/write-plan.ts';
import type { CompletedRequest } from '../response/request-context.ts';
import type { Log } from './log.ts';

export function logAnswers(log: Log): (answer: CompletedRequest) => void {
  return ({ id, call, status, started, milliseconds, rows, error, caller }) => {
    const level = isUnexpected(error) ? 'error' : 'info';
    if (!log.enabled(level)) return;
    const line = {
      id,
      method: call.method,
      path: withoutSecrets(pathAndQuery(call.requestUrl)),
      status,
      ms: Math.round(milliseconds * 1000) / 1000,
      rows,
      role: caller?.role,
      name: caller?.name,
    };
    const at = performance.timeOrigin + started + milliseconds;
    if (error === undefined) log.write(level, 'request', line, at);
    else if (error instanceof ApiError) {
      log.write(level, 'request', { ...line, code: error.code, reason: error.cause as string | undefined }, at);
    } else log.write(level, 'request', { ...line, fault: error instanceof Error ? error.stack : String(error) }, at);
  };
}

/** Logs a response whose body ended early. */
export function logCuts(log: Log): (answer: CompletedRequest, error: unknown) => void {
  return ({ id, call: { method, requestUrl }, rows }, error) => {
    const reason = error instanceof Error ? error.message : String(error);
    log.write('warn', 'answer cut short', { id, method, path: withoutSecrets(pathAndQuery(requestUrl)), rows, reason });
  };
}

/** Parameters in which some clients send a secret, and the one that makes a signed URL of a file valid. */
const SECRETS = /([?&](?:apikey|api_key|access_token|token|jwt|password|secret|signature)=)[^&]*/gi;
/** A quick test for their endings, which rarely match. */
const PERHAPS_SECRET = /(?:key|token|jwt|password|secret|signature)=/i;

function withoutSecrets(path: string): string {
  return PERHAPS_SECRET.test(path) ? path.replace(SECRETS, '$1***') : path;
}

/** Logs slow queries with the engine's query plan. A plan contains nothing of a body. */
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
