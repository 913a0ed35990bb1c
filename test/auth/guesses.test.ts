/** The back-off after wrong passwords, measured with a clock that the test controls. */
import { beforeEach, expect, test } from 'bun:test';
import { LoginAttempts } from '../../src/auth/login-attempts.ts';
import { ApiError } from '../../src/base/errors.ts';

let now = 0;
let guesses: LoginAttempts;

beforeEach(() => {
  now = 1_000_000;
  guesses = new LoginAttempts(() => now);
});

/** Attempts a login and returns the seconds to wait; 0 if the attempt is allowed. */
function wait(name: string, address = '192.0.2.1'): number {
  try {
    guesses.attempt(name, address);
    return 0;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return Number(error.headers['retry-after']);
  }
}

/** Returns the pause after each of `count` attempts. */
function pauses(count: number, attempt: (index: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => {
    expect(attempt(index)).toBe(0);
    const pause = attempt(index + 1);
    now += pause * 1000;
    return pause;
  });
}

test('five attempts are free, and each further attempt doubles the pause, up to five minutes', () => {
  for (let free = 0; free < 4; free++) expect(wait('ann')).toBe(0);
  expect(pauses(11, () => wait('ann'))).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

test('an attempt that comes too soon does not lengthen the pause', () => {
  for (let free = 0; free < 5; free++) wait('ann');
  for (let times = 0; times < 100; times++) expect(wait('ann')).toBe(1);
  now += 1_000;
  expect(wait('ann')).toBe(0);
});

test('guesses block neither the same name from another address nor another name from the same address', () => {
  for (let times = 0; times < 10; times++) wait('ann');
  expect(wait('ann', '192.0.2.2')).toBe(0);
  expect(wait('bob')).toBe(0);
});

test('many names from one address, and many addresses for one name, also have to wait', () => {
  for (let name = 0; name < 20; name++) expect(wait(`name ${name}`)).toBe(0);
  expect(wait('another name')).toBe(1);
  for (let address = 0; address < 50; address++) expect(wait('ann', `198.51.100.${address}`)).toBe(0);
  expect(wait('ann', '203.0.113.1')).toBe(1);
  expect(wait('bob', '203.0.113.1')).toBe(0);
});

test('an IPv6 network counts as one address', () => {
  for (let host = 1; host <= 5; host++) expect(wait('ann', `2001:db8:1:2::${host}`)).toBe(0);
  expect(wait('ann', '2001:db8:1:2:ffff::9')).toBe(1);
  expect(wait('ann', '2001:db8:1:3::1')).toBe(0);
});

test('a correct password resets the count, and an hour resets every count', () => {
  for (let times = 0; times < 5; times++) wait('ann');
  now += 1_000;
  expect(wait('ann')).toBe(0);
  guesses.succeeded('ann', '192.0.2.1');
  for (let free = 0; free < 5; free++) expect(wait('ann')).toBe(0);
  expect(wait('ann')).toBe(1);
  now += 3_601_000;
  for (let free = 0; free < 5; free++) expect(wait('ann')).toBe(0);
});

test('the memory for attempts is bounded: the oldest attempts are forgotten', () => {
  for (let times = 0; times < 5; times++) wait('ann');
  expect(wait('ann')).toBe(1);
  for (let name = 0; name < 40_000; name++)
    guesses.attempt(`name ${name}`, `10.${name >> 16}.${(name >> 8) & 255}.${name & 255}`);
  expect(wait('ann')).toBe(0);
});
