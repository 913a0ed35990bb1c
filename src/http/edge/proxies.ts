/** The client's address and connection as proxies report them. Only --trusted-proxies are believed. */
import { isIP } from 'node:net';
import { hostOf, networkOf, plainHost } from '../../base/net/address.ts';
import { AddressRanges } from '../../base/net/address-ranges.ts';
import type { Call, Peer } from '../call.ts';

/** A longer list was written by the client itself. */
const MAX_FORWARDED_LENGTH = 2_000;

export class TrustedProxies {
  private readonly ranges: AddressRanges;
  /** Cached, since consecutive requests often come from the same proxy. */
  private last: { readonly address: string; readonly plain: string; readonly isTrusted: boolean } | undefined;

  constructor(ranges: readonly string[]) {
    this.ranges = new AddressRanges(ranges);
  }

  /** A request from within the process is trusted. */
  trusts(peer: Peer | undefined): boolean {
    return peer === undefined || this.lookAt(peer)?.isTrusted === true;
  }

  /** The client's address: the last one in the chain that is not a trusted proxy. */
  clientOf({ headers, peer }: Call): string | undefined {
    const forwarded = headers.get('x-forwarded-for');
    let client = peer && this.lookAt(peer)?.plain;
    if (forwarded === null || !this.trusts(peer)) return client;
    // Each proxy appends the address it received the request from.
    for (const part of forwarded.slice(-MAX_FORWARDED_LENGTH).split(',').reverse()) {
      const earlier = hostOf(part);
      if (isIP(earlier) === 0) return client;
      client = earlier;
      if (!this.ranges.has(client)) return client;
    }
    return client;
  }

  /** Whether the client's connection to the service or the first proxy is encrypted. */
  isSecure(call: Call): boolean {
    const forwarded = this.first('x-forwarded-proto', call);
    if (forwarded !== undefined) return forwarded.toLowerCase() === 'https';
    return call.peer?.isSecure ?? call.requestUrl.startsWith('https:');
  }

  /** The host that the client requested, with its port if any. */
  hostOf(call: Call): string | undefined {
    return this.first('x-forwarded-host', call) ?? call.host ?? undefined;
  }

  private lookAt(peer: Peer): TrustedProxies['last'] {
    const address = peer.address();
    if (address === undefined) return undefined;
    if (address !== this.last?.address) {
      this.last = { address, plain: plainHost(address), isTrusted: this.ranges.has(address) };
    }
    return this.last;
  }

  /** The value set by the outermost proxy. */
  first(name: string, { headers, peer }: Call): string | undefined {
    const value = headers.get(name);
    return value === null || !this.trusts(peer) ? undefined : value.split(',', 1)[0]!.trim();
  }
}

/** The name that distinguishes anonymous callers, for limits and Idempotency-Keys. */
export function clientNetwork(call: Call, proxies: TrustedProxies | undefined): string {
  return networkOf((proxies === undefined ? call.peer?.address() : proxies.clientOf(call)) ?? 'unknown');
}
