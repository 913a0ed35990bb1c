/**
 * What a proxy in front of the service tells of the client: its address, and how it reached the proxy. Whoever connects can
 * send such headers, so they are believed only from the proxies that --trusted-proxies names.
 */
import { isIP } from 'node:net';
import { hostOf, plainHost } from '../address.ts';
import { AddressRanges } from '../address-ranges.ts';
import type { Peer } from './peer.ts';

/** The rest of a list that is longer was written by the client itself. */
const MAX_FORWARDED_LENGTH = 2_000;

export class TrustedProxies {
  private readonly ranges: AddressRanges;
  /** Most requests in a row come from the same proxy. */
  private last: { readonly address: string; readonly plain: string; readonly isTrusted: boolean } | undefined;

  constructor(ranges: readonly string[]) {
    this.ranges = new AddressRanges(ranges);
  }

  /** Whoever asks within the process, without a connection, is trusted. */
  trusts(peer: Peer | undefined): boolean {
    return peer === undefined || this.lookAt(peer)?.isTrusted === true;
  }

  /** The address of the client: the last one on the way that is no trusted proxy. */
  clientOf(request: Request, peer: Peer | undefined): string | undefined {
    const forwarded = request.headers.get('x-forwarded-for');
    let client = peer && this.lookAt(peer)?.plain;
    if (forwarded === null || !this.trusts(peer)) return client;
    // Each proxy adds whom it was asked by at the end.
    for (const part of forwarded.slice(-MAX_FORWARDED_LENGTH).split(',').reverse()) {
      const earlier = hostOf(part);
      if (isIP(earlier) === 0) return client;
      client = earlier;
      if (!this.ranges.has(client)) return client;
    }
    return client;
  }

  /** Whether the client's own connection is encrypted, to us or to the first proxy. */
  isSecure(request: Request, peer: Peer | undefined): boolean {
    const forwarded = this.first('x-forwarded-proto', request, peer);
    if (forwarded !== undefined) return forwarded.toLowerCase() === 'https';
    return peer === undefined ? request.url.startsWith('https:') : peer.isSecure;
  }

  /** The host that the client asked for, with its port where it has one. */
  hostOf(request: Request, peer: Peer | undefined): string | undefined {
    return this.first('x-forwarded-host', request, peer) ?? request.headers.get('host') ?? undefined;
  }

  private lookAt(peer: Peer): TrustedProxies['last'] {
    const address = peer.address();
    if (address === undefined) return undefined;
    if (address !== this.last?.address) {
      this.last = { address, plain: plainHost(address), isTrusted: this.ranges.has(address) };
    }
    return this.last;
  }

  /** What the outermost proxy says. */
  private first(name: string, request: Request, peer: Peer | undefined): string | undefined {
    const value = request.headers.get(name);
    return value === null || !this.trusts(peer) ? undefined : value.split(',', 1)[0]!.trim();
  }
}
