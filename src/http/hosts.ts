/**
 * DNS rebinding: a web page whose own name is made to lead to this machine is of the same origin to its browser, and may do
 * what it likes. Its name is in Host, and is no name of this machine.
 */
import { hostOf, isThisMachine } from '../address.ts';
import { Refusal } from '../errors.ts';
import { MAX_KNOWN_HOSTS } from '../limits.ts';
import { ANY } from '../origin.ts';

export interface Hosts {
  /** Whether only this machine can reach the service. */
  readonly isOnLoopback: boolean;
  /** Beside the names of this machine: `shop.example.com`, `*.example.com`, `*`. */
  readonly allowed: readonly string[];
}

/** Refuses a request by its Host. Undefined where any will do. */
export function hostCheck({ isOnLoopback, allowed }: Hosts): ((request: Request) => void) | undefined {
  if (allowed.includes(ANY) || (!isOnLoopback && allowed.length === 0)) return undefined;
  // As clients wrote them, so that one that was seen before is found by one look.
  const known = new Set<string>();
  return (request) => {
    const header = request.headers.get('host');
    // A browser always sends one; old programs and health checks do not.
    if (header === null || header === '' || known.has(header)) return;
    const host = hostOf(header);
    if (!isListed(host, allowed) && !isThisMachine(host)) throw refusal(host, isOnLoopback);
    if (known.size >= MAX_KNOWN_HOSTS) known.clear();
    known.add(header);
  };
}

export function isListed(host: string, allowed: readonly string[]): boolean {
  return allowed.some((each) => each === ANY || each === host || (each[0] === '*' && host.endsWith(each.slice(1))));
}

function refusal(host: string, isOnLoopback: boolean): Refusal {
  return new Refusal('CAT421', `the service is not called ${host}`, {
    details: isOnLoopback
      ? 'It listens on a loopback address, where only names of this machine are answered, since any web page can have its own name lead here.'
      : 'Only the names of --allowed-hosts and those of the machine are answered.',
    hint: `Ask for localhost; or, where a proxy asks by this name, start the service with --allowed-hosts ${host}.`,
  });
}
