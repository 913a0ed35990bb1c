/** Parsing of hosts, origins and addresses in headers and settings. */
import { describe, expect, test } from 'bun:test';
import { hostname } from 'node:os';
import { hostOf, isLoopback, isThisMachine, originOf } from '../../src/base/net/address.ts';
import { AddressRanges, parseRange } from '../../src/base/net/address-ranges.ts';
import { TrustedProxies } from '../../src/http/edge/proxies.ts';
import { callOf } from '../support/call.ts';

test.each([
  ['localhost:3000', 'localhost'],
  ['LocalHost.', 'localhost'],
  ['[::1]:3000', '::1'],
  ['[::1]', '::1'],
  ['::1', '::1'],
  ['127.0.0.1:80', '127.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['shop.example.com:', 'shop.example.com'],
])('the host of %s is %s', (authority, host) => expect(hostOf(authority)).toBe(host));

test.each(['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '::ffff:127.0.0.1'])(
  '%s is loopback and belongs to this machine',
  (host) => expect([isLoopback(host), isThisMachine(host)]).toEqual([true, true]),
);
test.each(['127.0.0.1.example.com', 'localhost.example.com', 'notlocalhost', '1127.0.0.1', '10.0.0.1', '::2', ''])(
  '%s is not loopback',
  (host) => expect(isLoopback(host)).toBe(false),
);
test('the machine knows only its own name', () => {
  expect(isThisMachine(hostname())).toBe(true);
  expect(isThisMachine(`${hostname()}.attacker.example`)).toBe(false);
  expect(isThisMachine('203.0.113.7')).toBe(false);
});

test.each([
  ['https://shop.example.com', 'https://shop.example.com'],
  ['HTTPS://Shop.Example.com:443/', 'https://shop.example.com'],
  ['http://localhost:5173', 'http://localhost:5173'],
  ['http://[::1]:80', 'http://[::1]'],
  ['capacitor://localhost', 'capacitor://localhost'],
  ['null', undefined],
  ['https://shop.example.com/path', undefined],
  ['https://user@shop.example.com', undefined],
  ['shop.example.com', undefined],
  ['https://a b', undefined],
])('%s is the origin %s', (text, origin) => expect(originOf(text)).toBe(origin));

describe('address ranges', () => {
  test.each(['10.0.0.0/33', '10.0.0.0/-1', '10.0.0/8', 'fd00::/129', 'proxy.example.com', '10.0.0.1/8/8', '', '::/x'])(
    '%j is not a range',
    (text) => expect(parseRange(text)).toBeUndefined(),
  );

  test.each([
    ['loopback', ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'], ['10.0.0.1', '::2', 'nonsense', '']],
    ['private', ['10.1.2.3', '172.31.0.1', '192.168.0.9', 'fd12::1', 'fe80::1'], ['172.32.0.1', '8.8.8.8', '::1']],
    ['none', [], ['127.0.0.1', '::1']],
    ['203.0.113.0/24', ['203.0.113.7', '::ffff:203.0.113.7'], ['203.0.114.7']],
    ['2001:db8::/32', ['2001:db8:1::1'], ['2001:db9::1', '203.0.113.7']],
    ['0.0.0.0/0', ['8.8.8.8'], ['2001:db8::1']],
    ['203.0.113.7', ['203.0.113.7'], ['203.0.113.8']],
  ])('%s', (text, inside, outside) => {
    const ranges = new AddressRanges([text]);
    expect(inside.filter((each) => !ranges.has(each))).toEqual([]);
    expect(outside.filter((each) => ranges.has(each))).toEqual([]);
  });
});

describe('the client behind proxies', () => {
  const proxies = new TrustedProxies(['loopback', '10.0.0.0/8', '2001:db8::/32']);
  const from = (address: string, isSecure = false) => ({
    address: () => address,
    isSecure,
    atWork: () => undefined,
    drop: () => undefined,
  });
  const request = (headers: Record<string, string>) => new Request('http://x/', { headers });

  test.each([
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['::ffff:10.0.0.9', '203.0.113.7, 10.0.0.1', '203.0.113.7'],
    // Entries that the client itself wrote are further left.
    ['127.0.0.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['127.0.0.1', '203.0.113.7, unknown, 10.0.0.1', '10.0.0.1'],
    ['127.0.0.1', 'nonsense', '127.0.0.1'],
    ['127.0.0.1', ' 203.0.113.7:4711 ', '203.0.113.7'],
    ['2001:db8::5', '[2001:db9::7]:4711', '2001:db9::7'],
    // The request does not come from a trusted proxy.
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ])('%s with X-Forwarded-For %j is %s', (peer, forwarded, client) => {
    const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    expect(proxies.clientOf(callOf(request(headers), from(peer)))).toBe(client);
  });

  test('the scheme and the host come from a trusted proxy, otherwise from the service', () => {
    const told = request({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'shop.example.com', host: 'inside' });
    expect(proxies.isSecure(callOf(told, from('127.0.0.1')))).toBe(true);
    expect(proxies.hostOf(callOf(told, from('127.0.0.1')))).toBe('shop.example.com');
    expect(proxies.isSecure(callOf(told, from('203.0.113.9')))).toBe(false);
    expect(proxies.hostOf(callOf(told, from('203.0.113.9')))).toBe('inside');
    expect(proxies.isSecure(callOf(request({}), from('203.0.113.9', true)))).toBe(true);
  });
});
