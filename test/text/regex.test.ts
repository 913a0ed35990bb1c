import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { compileRegex } from '../../src/text/regex.ts';
import { RUNS } from '../support/generated/generators.ts';
import { verdict } from './verdict.ts';

type Case = readonly [pattern: string, text: string, expected: boolean];

function holds(cases: readonly Case[], caseless = false): void {
  test.each(cases)('%j in %j: %j', (pattern, text, expected) => {
    expect(compileRegex(pattern, caseless).test(text)).toBe(expected);
  });
}

describe('match finds a pattern at any position', () => {
  holds([
    ['', '', true],
    ['', 'Tofu', true],
    ['of', 'Tofu', true],
    ['^of', 'Tofu', false],
    ['^.{4}$', 'Tofu', true],
    ['(Tofu|Chai)$', 'Longlife Tofu', true],
    ['[A-C]h', 'Chai', true],
    ['ö', 'Tunnbröd', true],
    ['Ö', 'Tunnbröd', false],
    ['a.c', 'a😀c', true],
    ['colou??r', 'color', true],
    ['(a|b)*?c', 'abac', true],
    ['x{', 'x{', true],
    ['{,3}', '{,3}', true],
    ['a{2,3}', 'a', false],
    ['a{255}', 'a'.repeat(255), true],
    ['a{0}b', 'b', true],
    ['a||b', 'x', true],
    ['()', 'x', true],
  ]);
});

describe('a newline is treated like any other character', () => {
  holds([
    ['a.b', 'a\nb', true],
    ['^b', 'a\nb', false],
    ['a$', 'a\nb', false],
    ['[^x]b', 'a\nb', true],
  ]);
});

describe('a newline is special with an option at the start', () => {
  holds([
    ['(?n)a.b', 'a\nb', false],
    ['(?n)^b', 'a\nb', true],
    ['(?n)a[^x]b', 'a\nb', false],
    ['(?w)^b', 'a\nb', true],
    ['(?w)a.b', 'a\nb', true],
    ['(?p)^b', 'a\nb', false],
    ['(?i)TOFU', 'Tofu', true],
    ['(?x) T o f u # the product', 'Tofu', true],
    ['(?xi) t o\\ f', 'TO F', true],
    ['(?q)a.b', 'a.b', true],
    ['(?q)a.b', 'axb', false],
    ['***=a.b(', 'a.b(', true],
    ['***:(?i)TOFU', 'Tofu', true],
    ['a(?#a comment)+$', 'aaa', true],
  ]);
});

describe('words, classes and numeric escapes follow PostgreSQL', () => {
  holds([
    ['\\mTofu\\M', 'Longlife Tofu', true],
    ['\\mTofu', 'xTofu', false],
    ['Tofu\\M', 'Tofus', false],
    ['[[:<:]]Tofu[[:>:]]', 'a Tofu!', true],
    ['\\yTofu\\y', 'a-Tofu', true],
    ['o\\Yf', 'Tofu', true],
    ['\\M\\m', 'a b', false],
    ['\\ATofu\\Z', 'Tofu', true],
    ['^\\w+$', 'Tofu_1', true],
    ['^\\w+$', 'Röd', false],
    ['\\d', '٣', false],
    ['\\s', '\v', true],
    ['^[[:alpha:]]+$', 'Chai', true],
    ['[^[:alnum:]]', 'Chai', false],
    ['[\\w-]', '-', true],
    ['[^\\W\\d]', '1', false],
    ['[]x]', ']', true],
    ['[^]x]', ']', false],
    ['[a-]', '-', true],
    ['[[.-.]]', '-', true],
    ['[[=a=]]', 'a', true],
    ['\\u0054\\x6f\\U00000066\\165', 'Tofu', true],
    ['\\B', '\\', true],
    ['\\x110000', 'x', false],
  ]);
});

describe('imatch folds case, one character for one', () => {
  holds(
    [
      ['^ch', 'CHAI', true],
      ['KÖÖRI', 'Lakkalikööri', true],
      ['[À-Ö]', 'ö', true],
      ['[^ö]', 'Ö', false],
      ['ss', 'ß', false],
      ['ẞ', 'ß', true],
      ['[[:upper:]]', 'a', true],
      ['(?c)CHAI', 'Chai', false],
      ['***=TOFU', 'Tofu', true],
    ],
    true,
  );
});

describe('errors use the wording of PostgreSQL', () => {
  const cases = [
    ['(', 'parentheses () not balanced'],
    [')', 'parentheses () not balanced'],
    ['(?:a', 'parentheses () not balanced'],
    ['[', 'brackets [] not balanced'],
    ['[a', 'brackets [] not balanced'],
    ['[[:alpha', 'brackets [] not balanced'],
    ['[[:letter:]]', 'invalid character class'],
    ['[[.ab.]]', 'invalid collating element'],
    ['[z-a]', 'invalid character range'],
    ['[a-\\d]', 'invalid character range'],
    ['*a', 'quantifier operand invalid'],
    ['a**', 'quantifier operand invalid'],
    ['^*', 'quantifier operand invalid'],
    ['a(?i)b', 'quantifier operand invalid'],
    ['***', 'quantifier operand invalid'],
    ['a{2', 'braces {} not balanced'],
    ['a{3,2}', 'invalid repetition count(s)'],
    ['a{256}', 'invalid repetition count(s)'],
    ['\\', 'invalid escape \\ sequence'],
    ['\\q', 'invalid escape \\ sequence'],
    ['\\u12', 'invalid escape \\ sequence'],
    ['(?z)a', 'invalid embedded option'],
    ['\\1', 'invalid backreference number'],
    ['(a{100}){100}', 'regular expression is too complex'],
    ['(a)\\1', 'back-references are not supported'],
    ['a(?=b)', 'look-around is not supported'],
    ['(?<!a)b', 'look-around is not supported'],
  ] as const;
  test.each(cases)('%j: %s', (pattern, reason) => {
    expect(verdict(() => compileRegex(pattern, false).test, 'x')).toBe(`2201B invalid regular expression: ${reason}`);
  });
});

describe('any pattern', () => {
  const pieces = fc.array(
    fc.constantFrom(
      ...[
        '(',
        ')',
        '(?:',
        '[',
        ']',
        '[^',
        '[[:alpha:]]',
        '{',
        '}',
        '{2}',
        '{1,',
        '*',
        '+',
        '?',
        '|',
        '^',
        '$',
        '.',
        '-',
      ],
      ...['\\', '\\m', '\\M', '\\y', '\\w', '\\S', '\\x', '\\u00e9', '\\1', '(?i)', '***=', '(?=', 'a', 'B', 'ö', '😀'],
    ),
    { maxLength: 12 },
  );
  const patterns = fc.oneof(
    pieces.map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );

  test('gives a result or a rejection, and nothing else', () => {
    fc.assert(
      fc.property(patterns, fc.string({ unit: 'binary' }), fc.boolean(), (pattern, text, caseless) => {
        verdict(() => compileRegex(pattern, caseless).test, text);
      }),
      { numRuns: 300 * RUNS },
    );
  });

  test('finds itself as a literal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (text, caseless) => {
        expect(compileRegex(`***=${text}`, caseless).test(`<${text}>`)).toBe(true);
      }),
    );
  });

  test('finishes quickly even if it is hostile', () => {
    expect(compileRegex('(a+)+$', false).test(`${'a'.repeat(100_000)}b`)).toBe(false);
    expect(compileRegex('(x+x+)+y', true).test('x'.repeat(100_000))).toBe(false);
    expect(compileRegex('(a|b)*a(a|b){200}c', false).test('ab'.repeat(20_000))).toBe(false);
    expect(verdict(() => compileRegex('('.repeat(100_000), false).test, '')).toStartWith('2201B');
    expect(verdict(() => compileRegex('(?:.{0,255}){3}b'.repeat(50), false).test, '')).toStartWith('2201B');
  });
});
