/** Hosts in settings and headers: names, addresses, and names of this machine. */
import { lookup } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** Whether only this machine can reach the host: `localhost` and subdomains (RFC 6761, 6.3), 127.0.0.0/8, ::1. */
export function isLoopback(host: string): boolean {
  const name = plainHost(host);
  if (isIPv4(name)) return name.startsWith('127.');
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1';
}

/** Whether it is a name or address of this machine. */
export function isThisMachine(host: string): boolean {
  const name = plainHost(host);
  if (isLoopback(name)) return true;
  const own = plainHost(hostname());
  if (isIP(name) === 0) return name === own || name === own.split('.', 1)[0];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  return name === '0.0.0.0' || name === '::' || addresses.includes(name);
}

/** The host of a Host header or origin, without the port: `::1` for `[::1]:3000`. */
export function hostOf(authority: string): string {
  const port = /:\d*$/.exec(authority);
  // An IPv6 address without brackets contains colons itself.
  const isBare = port !== null && authority.indexOf(':') !== port.index && !authority.startsWith('[');
  return plainHost(port === null || isBare ? authority : authority.slice(0, port.index));
}

/** In lower case, without brackets or trailing dot; an IPv4-mapped IPv6 address becomes IPv4. */
export function plainHost(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
}

/** The first 64 bits of an IPv6 address, since one client usually has that network (RFC 6177). IPv4 is whole. */
export function networkOf(address: string): string {
  const plain = plainHost(address);
  if (!plain.includes(':') || !URL.canParse(`http://[${plain}]`)) return plain;
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return `${groups.slice(0, 4).join(':')}::/64`;
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const RESOLVE_MS = 2_000;

/** Returns why a host cannot be resolved, in the same words for every driver and resolver; undefined if it can. */
export async function resolveProblem(host: string): Promise<string | undefined> {
  const name = plainHost(host);
  if (isIP(name) !== 0) return undefined;
  const lookupResult = lookup(name).then(
    () => undefined,
    () => `host '${name}' cannot be resolved`,
  );
  // A resolver that does not answer proves nothing.
  return Promise.race([lookupResult, Bun.sleep(RESOLVE_MS).then(() => undefined)]);
}

export const ANY = '*';

/** Parses an Origin header or setting; a trailing slash is ignored. Undefined for anything else, such as `null`. */
export function originOf(text: string): string | undefined {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s]+)\/?$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, scheme = '', authority = ''] = match;
  const usual = USUAL_PORTS[scheme.toLowerCase()];
  const host = authority.toLowerCase();
  return `${scheme.toLowerCase()}://${usual !== undefined && host.endsWith(usual) ? host.slice(0, -usual.length) : host}`;
}

const USUAL_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** The host and optional port. */
export function authorityOf(origin: string): string {
  return origin.slice(origin.indexOf('://') + 3);
}
