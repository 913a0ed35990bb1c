/** Rate limits: a burst size and a rate over time, counted in fixed memory that processes can share. */
import { expect, setSystemTime, test } from 'bun:test';
import { parseRate } from '../../src/base/net/rate.ts';
import { RATE_TABLE_BYTES, RateLimiter } from '../../src/base/net/rate-limit.ts';

const START = 1_800_000_000_000;

test.each([
  ['100/s', { count: 100, seconds: 1 }],
  [' 30/m ', { count: 30, seconds: 60 }],
  ['1000000/h', { count: 1_000_000, seconds: 3600 }],
])('%s is a valid rate', (text, rate) => expect(parseRate(text)).toEqual(rate));

test.each(['', '0/s', '100', '/s', '1.5/s', '-1/s', '1000001/s', '10/d', '10 / s', '10/s/s'])(
  '%j is not a valid rate',
  (text) => expect(parseRate(text)).toBeUndefined(),
);

test.each(['10/s', '3/s', '7/m', '1/h'])('%s allows a burst of that size, then evenly spaced requests', (text) => {
  const limiter = new RateLimiter();
  const rate = parseRate(text)!;
  const take = (now: number) => limiter.take('a', rate, { now });
  for (let left = rate.count - 1; left >= 0; left--) {
    expect(take(START)).toMatchObject({ isAllowed: true, remaining: left, retrySeconds: 0 });
  }
  const part = (rate.seconds * 1000) / rate.count;
  const refused = take(START);
  expect(refused).toMatchObject({ isAllowed: false, remaining: 0, resetSeconds: rate.seconds });
  expect(refused.retrySeconds).toBe(Math.ceil(part / 1000));
  // A rejected request does not lengthen the wait.
  expect(take(START + part / 2).isAllowed).toBe(false);
  expect(take(START + part + 1).isAllowed).toBe(true);
  expect(take(START + part + 1).isAllowed).toBe(false);
  expect(take(START + part + 1 + rate.seconds * 1000)).toMatchObject({ isAllowed: true, remaining: rate.count - 1 });
});

test('clients are counted separately', () => {
  const limiter = new RateLimiter();
  const rate = parseRate('1/s')!;
  for (let client = 0; client < 1_000; client++) {
    expect(limiter.take(`client ${client}`, rate, { now: START }).isAllowed).toBe(true);
  }
  expect(limiter.take('client 999', rate, { now: START }).isAllowed).toBe(false);
});

test('more clients than slots are counted in the same memory, and the most active ones keep their slots', () => {
  const limiter = new RateLimiter();
  const rate = parseRate('100/m')!;
  for (let turn = 0; turn < 100; turn++) limiter.take('busy', rate, { now: START });
  for (let client = 0; client < 300_000; client++) limiter.take(`client ${client}`, rate, { now: START });
  expect(limiter.take('busy', rate, { now: START }).isAllowed).toBe(false);
});

test('two limiters that share memory share the count', () => {
  const memory = new Uint8Array(RATE_TABLE_BYTES);
  const [one, other] = [new RateLimiter(memory), new RateLimiter(memory)];
  const rate = parseRate('4/s')!;
  const allowed = Array.from(
    { length: 8 },
    (_, turn) => (turn % 2 === 0 ? one : other).take('a', rate, { now: START }).isAllowed,
  );
  expect(allowed).toEqual([true, true, true, true, false, false, false, false]);
});

test('a clock that is set back does not block clients', () => {
  const limiter = new RateLimiter();
  const rate = parseRate('1/s')!;
  expect(limiter.take('a', rate, { now: START }).isAllowed).toBe(true);
  expect(limiter.take('a', rate, { now: START - 3_600_000 }).isAllowed).toBe(true);
});

test('a client that has spent its rate gains nothing when the system clock is set', () => {
  const limiter = new RateLimiter();
  const rate = parseRate('1/h')!;
  expect(limiter.take('a', rate).isAllowed).toBe(true);
  try {
    for (const hours of [-24, 48]) {
      setSystemTime(new Date(Date.now() + hours * 3_600_000));
      expect(limiter.take('a', rate)).toMatchObject({ isAllowed: false, resetSeconds: 3600 });
    }
  } finally {
    setSystemTime();
  }
});
