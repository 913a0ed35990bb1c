/** Settings of the network: ports, certificates, hosts, origins, proxies, rate limits. */
import { isIP } from 'node:net';
import { DEFAULT_MAX_FEEDS } from '../base/limits/feed.ts';
import { MAX_WORKERS } from '../base/limits/http.ts';
import { ANY, originOf, plainHost } from '../base/net/address.ts';
import { parseRange, RANGE_WORDS } from '../base/net/address-ranges.ts';
import { parseRate, RATE_FORM } from '../base/net/rate.ts';
import { ConfigError, envSetting, list, prefix, text, wholeNumber } from './setting.ts';

const TLS_SETTINGS = {
  tlsCert: envSetting('--tls-cert FILE: certificate and its chain (PEM), which enables HTTPS; SIGHUP reloads it', ''),
  tlsKey: envSetting('--tls-key FILE: private key of the certificate (PEM)', ''),
} as const;

export const NETWORK_SETTINGS = {
  ...TLS_SETTINGS,
  allowedHosts: envSetting(
    '--allowed-hosts NAMES: Host names to accept in addition to those of this machine, separated by commas; *.example.com, or * for any',
    [] as readonly string[],
    list(hostPattern),
  ),
  corsOrigins: envSetting(
    '--cors-origins ORIGINS: origins whose web pages may read and write, separated by commas, or * for any; by default all origins may read',
    [] as readonly string[],
    list(origin),
  ),
  trustedProxies: envSetting(
    '--trusted-proxies ADDRESSES: proxies whose X-Forwarded headers are trusted: addresses, ranges (10.0.0.0/8), loopback, private, none',
    ['loopback', 'private'] as readonly string[],
    list(addressRange),
  ),
  rateLimit: envSetting<string>(
    '--rate-limit RATE: requests that one client may send, such as 100/s, 600/m or 5000/h; also the burst size',
    '',
    rate,
  ),
  maxRows: envSetting(
    '--max-rows NUMBER: largest number of rows of a list, and of each list in a row; 0 means no limit',
    0,
    wholeNumber(0, 2 ** 31 - 1),
  ),
  maxFeeds: envSetting(
    '--max-feeds NUMBER: clients of a process that may follow a list at the same time (Accept: text/event-stream)',
    DEFAULT_MAX_FEEDS,
    wholeNumber(0, 100_000),
  ),
  maxFeedsPerCaller: envSetting(
    '--max-feeds-per-caller NUMBER: of these, clients with the same credentials, or without any from the same address; 0 means half of them',
    0,
    wholeNumber(0, 100_000),
  ),
} as const;

function hostPattern(given: string, name: string): string {
  const host = plainHost(given);
  const plain = host.startsWith('*.') ? host.slice(2) : host;
  if (host === ANY || isIP(host) !== 0 || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(plain)) return host;
  throw new ConfigError(`${name} names hosts without a port, such as shop.example.com or *.example.com, not ${given}`);
}

function origin(given: string, name: string): string {
  const normalized = given === ANY ? ANY : originOf(given);
  if (normalized === undefined) {
    throw new ConfigError(`${name} names origins such as https://shop.example.com, without a path, not ${given}`);
  }
  return normalized;
}

function addressRange(given: string, name: string): string {
  if (parseRange(given) !== undefined) return given;
  throw new ConfigError(
    `${name} names addresses such as 10.0.0.5, ranges such as 10.0.0.0/8 or fd00::/8, or ${RANGE_WORDS.join(', ')}, not ${given}`,
  );
}

function rate(given: string, name: string): string {
  if (parseRate(given) === undefined) throw new ConfigError(`${name} is ${RATE_FORM}, not ${given}`);
  return given.trim();
}

export const WEBHOOK_SETTINGS = {
  webhookNetworks: envSetting<readonly string[]>(
    '--webhook-networks LIST: addresses that webhooks may reach besides public ones, also by http: ranges, loopback, private, none',
    ['loopback'],
    list(addressRange),
  ),
} as const;

export const AGENT_SETTINGS = {
  mcp: envSetting(
    '--mcp: serve agents at /mcp by the Model Context Protocol, with the permissions of their credentials',
  ),
} as const;

export const PORT_SETTINGS = {
  port: envSetting('--port NUMBER: port to listen on; 0 takes a free one', 3000, wholeNumber(0, 65_535), {
    env: 'PORT',
  }),
  host: envSetting('--host ADDRESS: address to listen on', '127.0.0.1', text, { env: 'HOST' }),
  basePath: envSetting(
    '--base-path PATH: path at which a proxy serves the catalogue, such as /api; the proxy may strip it or not',
    '',
    prefix,
  ),
  workers: envSetting(
    '--workers NUMBER: processes that serve requests on one port (Linux); about one for each core',
    1,
    wholeNumber(1, MAX_WORKERS),
  ),
  handover: envSetting(
    '--handover: share the port with the process before or after this one, for an upgrade without downtime (Linux)',
  ),
  adminPort: envSetting<number | undefined>(
    '--admin-port NUMBER: port for /live, /ready and /metrics; the main port then no longer serves /metrics',
    undefined,
    wholeNumber(0, 65_535),
  ),
} as const;
