/** Ends feeds whose key was revoked, whose session or token ended, or whose caller has other permissions. */
import { ApiError } from '../base/errors.ts';
import { CREDENTIAL_CHECK_MS } from '../base/limits/feed.ts';
import type { MaybePromise } from '../engine/engine.ts';
import type { Call } from '../http/call.ts';
import type { Subscriber } from './subscriber.ts';

/** Authenticates the request again and returns the caller's scope. */
export type ScopeCheck = () => MaybePromise<string>;

/** Clients with the same credentials and permissions share a check. */
interface Holders {
  readonly subscribers: Set<Subscriber>;
  readonly scope: string | undefined;
  readonly check: ScopeCheck;
}

export class CredentialChecks {
  private readonly holders = new Map<string, Holders>();
  private readonly timer = setInterval(() => {
    for (const each of this.holders.values()) void this.run(each);
  }, CREDENTIAL_CHECK_MS);

  constructor() {
    this.timer.unref();
  }

  add(subscriber: Subscriber, { credentials, signed }: Call, scope: string | undefined, check: ScopeCheck): void {
    const name = JSON.stringify([scope, signed?.signature, credentials]);
    const known = this.holders.get(name) ?? { subscribers: new Set(), scope, check };
    known.subscribers.add(subscriber);
    this.holders.set(name, known);
  }

  delete(subscriber: Subscriber): void {
    for (const [name, { subscribers }] of this.holders) {
      if (subscribers.delete(subscriber) && subscribers.size === 0) this.holders.delete(name);
    }
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async run({ subscribers, scope, check }: Holders): Promise<void> {
    try {
      if ((await check()) === scope) return;
    } catch (error) {
      // While the database is down, nothing is sent either.
      if (!(error instanceof ApiError) || error.status >= 500) return;
    }
    for (const subscriber of [...subscribers]) subscriber.end();
  }
}
