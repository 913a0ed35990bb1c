/** Settings of the network edge: certificates, hosts, origins, proxies, rate limits. */
import { isIP } from 'node:net';
import { plainHost } from '../base/net/address.ts';
import { parseRange, RANGE_WORDS } from '../base/net/address-ranges.ts';
import { ANY, originOf } from '../base/net/origin.ts';
import { parseRate, RATE_FORM } from '../base/net/rate.ts';
import { ConfigError, list, setting, text } from './setting.ts';

const TLS_SETTINGS = {
  tlsCert: setting({
    flag: '--tls-cert',
    env: 'CATALOGUE_TLS_CERT',
    argument: 'FILE',
    description: 'certificate and its chain (PEM), which enables HTTPS; SIGHUP reloads it',
    byDefault: '',
    read: text,
  }),
  tlsKey: setting({
    flag: '--tls-key',
    env: 'CATALOGUE_TLS_KEY',
    argument: 'FILE',
    description: 'private key of the certificate (PEM)',
    byDefault: '',
    read: text,
  }),
} as const;

export const NETWORK_SETTINGS = {
  ...TLS_SETTINGS,
  allowedHosts: setting({
    flag: '--allowed-hosts',
    env: 'CATALOGUE_ALLOWED_HOSTS',
    argument: 'NAMES',
    description:
      'Host names to accept in addition to those of this machine, separated by commas; *.example.com, or * for any',
    byDefault: [] as readonly string[],
    read: list(hostPattern),
  }),
  corsOrigins: setting({
    flag: '--cors-origins',
    env: 'CATALOGUE_CORS_ORIGINS',
    argument: 'ORIGINS',
    description:
      'origins whose web pages may read and write, separated by commas, or * for any; by default all origins may read',
    byDefault: [] as readonly string[],
    read: list(origin),
  }),
  trustedProxies: setting({
    flag: '--trusted-proxies',
    env: 'CATALOGUE_TRUSTED_PROXIES',
    argument: 'ADDRESSES',
    description:
      'proxies whose X-Forwarded headers are trusted: addresses, ranges (10.0.0.0/8), loopback, private, none',
    byDefault: ['loopback', 'private'] as readonly string[],
    read: list(addressRange),
  }),
  rateLimit: setting<string>({
    flag: '--rate-limit',
    env: 'CATALOGUE_RATE_LIMIT',
    argument: 'RATE',
    description: 'requests that one client may send, such as 100/s, 600/m or 5000/h; also the burst size',
    byDefault: '',
    read: rate,
  }),
} as const;

function hostPattern(given: string, name: string): string {
  const host = plainHost(given);
  const plain = host.startsWith('*.') ? host.slice(2) : host;
  if (host === ANY || isIP(host) !== 0 || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(plain)) return host;
  throw new ConfigError(`${name} names hosts without a port, such as shop.example.com or *.example.com, not ${given}`);
}

function origin(given: string, name: string): string {
  const known = given === ANY ? ANY : originOf(given);
  if (known === undefined) {
    throw new ConfigError(`${name} names origins such as https://shop.example.com, without a path, not ${given}`);
  }
  return known;
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
