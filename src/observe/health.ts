/** /live, /ready and /metrics: whether the process runs, whether it should be sent requests, and what it has done. */
import type { Engine } from '../engine/engine.ts';
import { Refusal } from '../errors.ts';
import { type Pages, readOnly } from '../http/pages.ts';
import type { ReadPlan } from '../plan/types.ts';
import { EXPOSITION_TYPE } from './exposition.ts';

export type Phase = 'starting' | 'serving' | 'draining';

export class Health {
  phase: Phase = 'starting';

  constructor(
    private readonly engine: () => Engine | undefined,
    /** A read that finds nothing, and shows that the database answers. */
    private readonly probe: ReadPlan,
  ) {}

  /** Why requests should go elsewhere; undefined where all is well. */
  async notReady(): Promise<string | undefined> {
    const engine = this.engine();
    if (this.phase !== 'serving' || engine === undefined) return this.phase;
    try {
      await engine.find(this.probe);
      return undefined;
    } catch (error) {
      return error instanceof Refusal ? (error.details ?? error.message) : 'the database does not answer';
    }
  }
}

/** `/metrics` where its text is given. */
export function healthPages(health: Health, metrics: (() => string) | undefined): Pages {
  return (path, request) => {
    switch (path) {
      case '/live':
        return readOnly(request, () => answer(200, 'live\n'));
      case '/ready':
        return readOnly(request, () => readiness(health));
      case '/metrics':
        return metrics === undefined ? undefined : readOnly(request, () => answer(200, metrics(), EXPOSITION_TYPE));
      default:
        return undefined;
    }
  };
}

async function readiness(health: Health): Promise<Response> {
  const reason = await health.notReady();
  if (reason === undefined) return answer(200, 'ready\n');
  return answer(503, `not ready: ${reason}\n`, undefined, { 'retry-after': '1' });
}

function answer(
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(text, { status, headers: { 'content-type': type, 'cache-control': 'no-store', ...headers } });
}
