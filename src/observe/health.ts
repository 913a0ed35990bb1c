/** /live, /ready and /metrics: whether the process runs, whether it should receive requests, and its metrics. */

import { ApiError } from '../base/errors.ts';
import type { Engine, MaybePromise } from '../engine/engine.ts';
import { type Pages, readOnly } from '../http/pages.ts';
import { WHOLE_ROW_JSON } from '../plan/read/read.ts';
import type { ReadPlan } from '../plan/types.ts';
import { EXPOSITION_TYPE, exposition, type Family } from './exposition.ts';

/** The state of the service, reported by its only process or by the supervisor of all worker processes. */
export interface ServiceStatus {
  /** Why the service should not receive requests; undefined if it is ready. */
  notReady(): Promise<string | undefined>;
  families(): MaybePromise<readonly Family[]>;
}

type Phase = 'starting' | 'serving' | 'draining';

export class Health {
  phase: Phase = 'starting';

  constructor(
    private readonly engine: () => Engine | undefined,
    /** A read that returns no rows and shows that the database answers. */
    private readonly probe: ReadPlan,
  ) {}

  /** Without asking the database. */
  get isReady(): boolean {
    return this.phase === 'serving' && this.engine()?.unreadyReason?.() === undefined;
  }

  /** Why the service should not receive requests; undefined if it is ready. */
  async notReady(): Promise<string | undefined> {
    const engine = this.engine();
    if (this.phase !== 'serving' || engine === undefined) return this.phase;
    try {
      await (engine.ping?.() ?? engine.read(this.probe, WHOLE_ROW_JSON));
      return engine.unreadyReason?.();
    } catch (error) {
      return error instanceof ApiError ? (error.details ?? error.message) : 'the database does not answer';
    }
  }
}

export function healthPages(account: ServiceStatus, { metrics }: { readonly metrics: boolean }): Pages {
  return (path, { call }) => {
    switch (path) {
      case '/live':
        return readOnly(call, () => answer(200, 'live\n'));
      case '/ready':
        return readOnly(call, () => readiness(account));
      case '/metrics':
        return metrics ? readOnly(call, () => metricsOf(account)) : undefined;
      default:
        return undefined;
    }
  };
}

async function readiness(account: ServiceStatus): Promise<Response> {
  const reason = await account.notReady();
  if (reason === undefined) return answer(200, 'ready\n');
  return answer(503, `not ready: ${reason}\n`, undefined, { 'retry-after': '1' });
}

async function metricsOf(account: ServiceStatus): Promise<Response> {
  return answer(200, exposition(await account.families()), EXPOSITION_TYPE);
}

function answer(
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(text, { status, headers: { 'content-type': type, 'cache-control': 'no-store', ...headers } });
}
