/** Numbers in the console: people type and paste them in the format of their language. */
import { afterAll, describe, expect, test } from 'bun:test';
import { formatDigits, readTyped, setNumberLocale } from '../../src/console/browser/i18n/numbers.ts';

afterAll(() => setNumberLocale('en'));

describe.each([
  ['en', '1,234', '1234'],
  ['en', '1.234', '1.234'],
  ['de', '1.234', '1234'],
  ['de', '1,234', '1.234'],
  ['en', '12,50', '12.50'],
  ['de', '12,50', '12.50'],
  ['de', '1.234.567,89', '1234567.89'],
  ['en', '−5', '-5'],
  ['fr', '1 234,5', '1234.5'],
  ['en', '1e3', '1e3'],
])('in %s', (language, typed, number) => {
  test(`“${typed}” is ${number}`, () => {
    setNumberLocale(language);
    expect(readTyped(typed)).toBe(number);
  });
});

test.each(['abc', '12,34,56', '1.2.3,4,5', '', '--3'])('“%s” is not a number', (typed) => {
  setNumberLocale('en');
  expect(readTyped(typed)).toBeUndefined();
});

test('every digit of a long number is shown', () => {
  setNumberLocale('de');
  expect(formatDigits('12345678901234567890.5', 2)).toBe('12.345.678.901.234.567.890,50');
});
