/** Sends one message, signed as Standard Webhooks (https://www.standardwebhooks.com) describe. */
import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { WEBHOOK_SECONDS } from '../../base/limits/engine.ts';
import { plainHost } from '../../base/net/address.ts';
import { AddressRanges } from '../../base/net/address-ranges.ts';
import { type Sentence, say } from '../../base/sentence.ts';

export interface Receiver {
  readonly url: URL;
  readonly key: Buffer;
  /** Besides public addresses, the receiver may have one of these, and http suffices for them. */
  readonly networks: AddressRanges;
}

interface Message {
  /** The same for every attempt. */
  readonly id: string;
  readonly body: string;
  readonly traceParent: string | undefined;
}

/** Addresses that no public receiver has: RFC 6890, multicast, 6to4. IPv4 ranges include IPv4-mapped IPv6 addresses. */
const RESERVED = new AddressRanges(
  'loopback private 0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001:db8::/32 2002::/16 fec0::/10 ff00::/8'.split(
    ' ',
  ),
);

/** Resolves to the reason why the message was not accepted; undefined if it was. */
export function deliver(
  receiver: Receiver,
  { id, body, traceParent }: Message,
  stopped: AbortSignal,
): Promise<Sentence | undefined> {
  const { url, key } = receiver;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const options: RequestOptions = {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'product-catalogue',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
      ...(traceParent === undefined ? {} : { traceparent: traceParent }),
    },
  };
  const host = plainHost(url.hostname);
  const forbidden = isIP(host) === 0 ? undefined : forbiddenReason(receiver, host);
  if (forbidden !== undefined) return Promise.resolve(forbidden);
  return new Promise((resolve) => {
    let request: ClientRequest | undefined;
    const end = (reason: Sentence | undefined) => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', stop);
      resolve(reason);
      request?.destroy();
    };
    const stop = () => end(say`the service stopped`);
    const timer = setTimeout(() => end(say`no answer within ${WEBHOOK_SECONDS} s`), WEBHOOK_SECONDS * 1000);
    const fail = ({ code, message }: NodeJS.ErrnoException) => end(say`the connection failed: ${code ?? message}`);
    stopped.addEventListener('abort', stop);
    try {
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      // The address that is checked is the address that is used.
      const checked = { ...options, lookup: checkedLookup(receiver, end) };
      request = send(url, checked, ({ statusCode = 0 }: IncomingMessage) => end(reasonOf(statusCode)));
      request.on('error', fail);
      request.end(body);
    } catch (error) {
      fail(error as Error);
    }
  });
}

function reasonOf(status: number): Sentence | undefined {
  if (status >= 200 && status < 300) return undefined;
  return status >= 300 && status < 400 ? say`status ${status}: redirects are not followed` : say`status ${status}`;
}

function checkedLookup(receiver: Receiver, forbid: (reason: Sentence) => void): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const reasons = error === null ? addresses.map(({ address }) => forbiddenReason(receiver, address)) : [];
      const forbidden = reasons.find((reason) => reason !== undefined);
      if (forbidden !== undefined) forbid(forbidden);
      if (error !== null || forbidden !== undefined) callback(error ?? new Error(String(forbidden)), '', 4);
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

function forbiddenReason({ url, networks }: Receiver, address: string): Sentence | undefined {
  if (networks.has(address)) return undefined;
  if (RESERVED.has(address)) return say`${address} is not a public address; --webhook-networks allows others`;
  return url.protocol === 'https:' ? undefined : say`${address} needs https; --webhook-networks allows http`;
}
