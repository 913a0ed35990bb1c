/**
 * Protects against DNS rebinding: a web page whose host name resolves to this machine counts as same-origin in a
 * browser. Its Host header shows a name that is not one of this machine.
 */

import { ApiError } from '../../base/errors.ts';
import { MAX_KNOWN_HOSTS } from '../../base/limits/http.ts';
import { ANY, hostOf, isThisMachine } from '../../base/net/address.ts';
import type { Call } from '../call.ts';

export interface Hosts {
  /** Whether only this machine can reach the service. */
  readonly isOnLoopback: boolean;
  /** Allowed besides the names of this machine: `shop.example.com`, `*.example.com`, `*`. */
  readonly allowed: readonly string[];
}

/** Rejects a request by its Host. Undefined if every host is allowed. */
export function hostCheck({ isOnLoopback, allowed }: Hosts): ((call: Call) => void) | undefined {
  if (allowed.includes(ANY) || (!isOnLoopback && allowed.length === 0)) return undefined;
  // Cached as written by clients.
  const acceptedHosts = new Set<string>();
  return ({ headers }) => {
    const header = headers.get('host');
    // Browsers always send Host; old programs and health checks may not.
    if (header === null || header === '' || acceptedHosts.has(header)) return;
    const host = hostOf(header);
    if (!isListed(host, allowed) && !isThisMachine(host)) throw unknownHost(host, isOnLoopback);
    if (acceptedHosts.size >= MAX_KNOWN_HOSTS) acceptedHosts.clear();
    acceptedHosts.add(header);
  };
}

export function isListed(host: string, allowed: readonly string[]): boolean {
  return allowed.some((each) => each === ANY || each === host || (each[0] === '*' && host.endsWith(each.slice(1))));
}

function unknownHost(host: string, isOnLoopback: boolean): ApiError {
  return new ApiError('CAT421', `the service is not called ${host}`, {
    details: isOnLoopback
      ? 'It listens on a loopback address, where only names of this machine are answered, since any web page can have its own name lead here.'
      : 'The service accepts only the host names of this machine and of --allowed-hosts.',
    hint: `Ask for localhost; or, where a proxy asks by this name, start the service with --allowed-hosts ${host}.`,
  });
}
