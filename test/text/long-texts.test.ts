/**
 * Long texts and patterns: they give the same results as short ones, in a limited number of steps, and stop at the
 * deadline.
 */
import { afterEach, describe, expect, test } from 'bun:test';
import { ApiError } from '../../src/base/errors.ts';
import { Connection } from '../../src/engine/sqlite/connection/connection.ts';
import { clearDeadline, setDeadline, stepsSpent } from '../../src/engine/sqlite/connection/deadline.ts';
import { checkLike } from '../../src/text/like.ts';
import { compileRegex, sizeOfRegex } from '../../src/text/regex.ts';

const connection = new Connection(':memory:');
afterEach(clearDeadline);

/** SQL conditions on a text, each with a pattern that requires reading the whole text. */
const TESTS: Readonly<Record<string, string>> = {
  like: "text_like(?1, '%a_z%', 0)",
  'like of a part': "text_like(?1, '%zebra%', 0)",
  ilike: "text_like(?1, '%a_Z%', 1)",
  match: "text_regex(?1, '(a|b)+z', 0)",
  imatch: "text_regex(?1, '[a-f]{3,9}z', 1)",
  fts: "text_search(?1, 'fts', 'english', 'zebra & lion')",
  'fts of a beginning': "text_search(?1, 'fts', 'simple', '!zeb:* & !lio:* & !tig:*')",
  wfts: "text_search(?1, 'wfts', 'english', '\"zebra crossing\"')",
};
const TEXTS: Readonly<Record<string, string>> = {
  words: 'lorem ipsum dolor sit amet ',
  letters: 'ab',
  'words and numbers': 'box of 12 bottles, 550 ml each; ',
  tags: '<a href="x" ',
  'comments that do not end': '<!--',
  hyphens: 'a-',
  paths: '/usr/a.b@c ',
  umlauts: 'Röd Kåviär ',
};
const asked = (sql: string, text: string) => connection.values({ sql: `select ${sql}`, params: [text] })[0]![0];
const ofLength = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

function stepsFor(sql: string, text: string): number {
  const before = stepsSpent();
  asked(sql, text);
  return stepsSpent() - before;
}

describe.each(Object.keys(TESTS))('%s', (name) => {
  const sql = TESTS[name]!;

  test.each(Object.keys(TEXTS))('a text of %s that is twice as long takes at most twice the steps', (kind) => {
    for (const length of [40_000, 80_000]) {
      const steps = stepsFor(sql, ofLength(TEXTS[kind]!, length));
      expect(steps).toBeGreaterThanOrEqual(length);
      expect(stepsFor(sql, ofLength(TEXTS[kind]!, 2 * length))).toBeLessThanOrEqual(2 * steps + 65_536);
    }
  });

  test('matching one long text stops at the deadline', () => {
    setDeadline(-1);
    let problem: unknown;
    try {
      asked(sql, ofLength(TEXTS['words and numbers']!, 1_000_000));
    } catch (error) {
      problem = error;
    }
    expect(problem instanceof ApiError && problem.code).toBe('57014');
  });
});

describe('the size of a regular expression is estimated before it is compiled', () => {
  test.each(['abc', '(a|b)*c', '((ab){100}){8}', '(a{3,7}b?){20}', '(a|b|cd)+', 'x{3,}', '(x{1,2}){250}', '***=a.b'])(
    '%s: the estimate is close to the final number of instructions',
    (pattern) => {
      const { size } = compileRegex(pattern, true);
      expect(sizeOfRegex(pattern, true)).toBeWithin(size - 2, size + 1);
    },
  );

  test.each([
    ['a long one', '\\w'.repeat(100_000)],
    ['bounds in bounds', '((\\w{200}){200}){200}'],
    ['many bounds', '[a-z]{250}'.repeat(1_000)],
    ['a long text as it is', `***=${'a'.repeat(100_000)}`],
    ['a set of very many characters', `[${'aé'.repeat(200_000)}]{50}`],
  ])('%s is rejected without being compiled', (_, pattern) => {
    expect(() => sizeOfRegex(pattern, true)).toThrow('too complex');
  });
});

test('a pattern with very many backslashes is scanned once', () => {
  checkLike(`${'\\'.repeat(2_000_000)}x`);
  expect(() => checkLike('\\'.repeat(2_000_001))).toThrow('escape');
});
