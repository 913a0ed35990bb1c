import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { compileLike } from '../../src/engine/sqlite/functions/like.ts';
import { verdict } from './verdict.ts';

type Case = readonly [pattern: string, text: string, expected: boolean];

describe('like finds', () => {
  const cases: readonly Case[] = [
    ['Chai', 'Chai', true],
    ['Chai', 'chai', false],
    ['Ch%', 'Chang', true],
    ['Ch%', 'Schoggi', false],
    ['%Tofu', 'Longlife Tofu', true],
    ['%Tofu', 'Tofu!', false],
    ['%e Sp%', 'Uncle Sam', false],
    ['%hot%', 'Louisiana Hot Pepper', false],
    ['%Hot%', 'Louisiana Hot Pepper', true],
    ['C%e', 'Côte de Blaye', true],
    ['_hai', 'Chai', true],
    ['_hai', 'hai', false],
    ['%a_a%', 'Gravad lax', true],
    ['%', '', true],
    ['', '', true],
    ['', 'x', false],
    ['_', '', false],
    ['%%%', 'anything', true],
    ['a%b%c', 'a-b-b-c', true],
    ['a%b%c', 'a-c-b', false],
    ['a%', 'a\nb', true],
    ['a_b', 'a\nb', true],
  ];
  test.each(cases)('%j in %j: %j', (pattern, text, expected) => {
    expect(compileLike(pattern, false)(text)).toBe(expected);
  });
});

describe('one underscore matches one character of any byte length', () => {
  const cases: readonly Case[] = [
    ['_', 'ö', true],
    ['_', '😀', true],
    ['__', '😀', false],
    ['%_b', 'a😀b', true],
    ['%__', '😀', false],
    ['a_c', 'a😀c', true],
  ];
  test.each(cases)('%j in %j: %j', (pattern, text, expected) => {
    expect(compileLike(pattern, false)(text)).toBe(expected);
  });
});

describe('a backslash escapes the next character', () => {
  const cases: readonly Case[] = [
    ['100\\%', '100%', true],
    ['100\\%', '1000', false],
    ['a\\_b', 'a_b', true],
    ['a\\_b', 'axb', false],
    ['a\\\\b', 'a\\b', true],
    ['\\a', 'a', true],
  ];
  test.each(cases)('%j in %j: %j', (pattern, text, expected) => {
    expect(compileLike(pattern, false)(text)).toBe(expected);
  });

  test('a pattern that ends with a backslash is rejected', () => {
    for (const pattern of ['\\', 'abc\\', '%\\\\\\']) {
      expect(verdict(() => compileLike(pattern, false), 'abc')).toBe(
        '22025 LIKE pattern must not end with escape character',
      );
    }
  });
});

describe('ilike folds case, one character for one', () => {
  const cases: readonly Case[] = [
    ['ch%', 'CHANG', true],
    ['%KÖÖRI', 'Lakkalikööri', true],
    ['%ß%', 'Original Frankfurter grüne Soße', true],
    ['%SS%', 'Original Frankfurter grüne Soße', false],
    ['so_e', 'Soße', true],
    ['ẞ', 'ß', true],
    ['σίσυφος', 'ΣΊΣΥΦΟΣ', true],
    ['I', 'ı', false],
    ['_', 'İ', true],
    ['100\\%', '100%', true],
  ];
  test.each(cases)('%j in %j: %j', (pattern, text, expected) => {
    expect(compileLike(pattern, true)(text)).toBe(expected);
  });
});

describe('any pattern', () => {
  const pieces = fc.array(fc.constantFrom('%', '_', '\\', 'a', 'b', 'Ö', '😀', '\n'), { maxLength: 12 });
  const patterns = fc.oneof(
    pieces.map((characters) => characters.join('')),
    fc.string({ unit: 'binary' }),
  );

  test('gives a result or a rejection, and nothing else', () => {
    fc.assert(
      fc.property(patterns, fc.string({ unit: 'binary' }), fc.boolean(), (pattern, text, caseless) => {
        verdict(() => compileLike(pattern, caseless), text);
      }),
    );
  });

  test('gives the same result as the equivalent regular expression', () => {
    fc.assert(
      fc.property(pieces, pieces, (pattern, text) => {
        const wanted = pattern.filter((piece) => piece !== '\\');
        const source = wanted.map((piece) => (piece === '%' ? '.*' : piece === '_' ? '.' : piece)).join('');
        expect(compileLike(wanted.join(''), false)(text.join(''))).toBe(
          new RegExp(`^(?:${source})$`, 'su').test(text.join('')),
        );
      }),
    );
  });

  test('finishes quickly even if it is hostile', () => {
    expect(compileLike(`${'%a'.repeat(200)}%b`, false)('a'.repeat(20_000))).toBe(false);
    expect(compileLike(`%${'_'.repeat(200)}b`, true)('é'.repeat(20_000))).toBe(false);
  });
});
