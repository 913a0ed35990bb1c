/** How long who guesses has to wait, by a clock of the test's own. */
import { beforeEach, expect, test } from 'bun:test';
import { Guesses } from '../../src/auth/guesses.ts';
import { Refusal } from '../../src/errors.ts';

let now = 0;
let guesses: Guesses;

beforeEach(() => {
  now = 1_000_000;
  guesses = new Guesses(() => now);
});

/** In seconds; 0 where the attempt counts. */
function wait(name: string, address = '192.0.2.1'): number {
  try {
    guesses.attempt(name, address);
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return Number(error.headers['retry-after']);
  }
}

/** How long the pauses are after each of so many attempts. */
function pauses(count: number, attempt: (index: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => {
    expect(attempt(index)).toBe(0);
    const pause = attempt(index + 1);
    now += pause * 1000;
    return pause;
  });
}

test('five attempts are free, and each further one doubles the pause, up to five minutes', () => {
  for (let free = 0; free < 4; free++) expect(wait('ann')).toBe(0);
  expect(pauses(11, () => wait('ann'))).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

test('an attempt that comes too soon makes the pause no longer', () => {
  for (let free = 0; free < 5; free++) wait('ann');
  for (let times = 0; times < 100; times++) expect(wait('ann')).toBe(1);
  now += 1_000;
  expect(wait('ann')).toBe(0);
});

test('one name is not kept out by who guesses it from elsewhere, nor another name from the same address', () => {
  for (let times = 0; times < 10; times++) wait('ann');
  expect(wait('ann', '192.0.2.2')).toBe(0);
  expect(wait('bob')).toBe(0);
});

test('many names from one address, and many addresses for one name, have to wait, too', () => {
  for (let name = 0; name < 20; name++) expect(wait(`name ${name}`)).toBe(0);
  expect(wait('another name')).toBe(1);
  for (let address = 0; address < 50; address++) expect(wait('ann', `198.51.100.${address}`)).toBe(0);
  expect(wait('ann', '203.0.113.1')).toBe(1);
  expect(wait('bob', '203.0.113.1')).toBe(0);
});

test('a network of IPv6 is one address', () => {
  for (let host = 1; host <= 5; host++) expect(wait('ann', `2001:db8:1:2::${host}`)).toBe(0);
  expect(wait('ann', '2001:db8:1:2:ffff::9')).toBe(1);
  expect(wait('ann', '2001:db8:1:3::1')).toBe(0);
});

test('who was right begins anew; after an hour everybody does', () => {
  for (let times = 0; times < 5; times++) wait('ann');
  now += 1_000;
  expect(wait('ann')).toBe(0);
  guesses.succeeded('ann', '192.0.2.1');
  for (let free = 0; free < 5; free++) expect(wait('ann')).toBe(0);
  expect(wait('ann')).toBe(1);
  now += 3_601_000;
  for (let free = 0; free < 5; free++) expect(wait('ann')).toBe(0);
});

test('what is remembered is bounded', () => {
  for (let name = 0; name < 40_000; name++)
    guesses.attempt(`name ${name}`, `10.${name >> 16}.${(name >> 8) & 255}.${name & 255}`);
  expect(guesses.size).toBeLessThanOrEqual(3 * 10_001);
});
