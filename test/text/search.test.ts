import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { compileSearch, type SearchMode } from '../../src/text/search/index.ts';
import { RUNS } from '../support/generated/generators.ts';
import { verdict } from './verdict.ts';

type Case = readonly [query: string, text: string, expected: boolean];

function holds(mode: SearchMode, cases: readonly Case[], config = 'english'): void {
  test.each(cases)(`${mode} %j in %j: %j`, (query, text, expected) => {
    expect(compileSearch(mode, config, query)(text)).toBe(expected);
  });
}

describe('words are found by their stem', () => {
  holds('plfts', [
    ['sauces', 'Northwoods Cranberry Sauce', true],
    ['SEASON', "Chef Anton's Cajun Seasoning", true],
    ['flying', 'it flies', true],
    ['news', 'new', false],
    ['universal university', 'the universe', true],
    ['generous', 'general', false],
    ['Röd', 'Röd Kaviar', true],
    ['rod', 'Röd Kaviar', false],
  ]);
  holds(
    'plfts',
    [
      ['sauces', 'Sauce', false],
      ['SAUCE', 'Sauce', true],
      ['the', 'the end', true],
    ],
    'simple',
  );
});

describe('apostrophes, hyphens, numbers and addresses are parsed as in PostgreSQL', () => {
  holds('plfts', [
    ["anton's", "Chef Anton's Gumbo Mix", true],
    ['anton', "Chef Anton's Gumbo Mix", true],
    ['vegie', 'Vegie-spread', true],
    ['vegie-spread', 'Vegie-spread', true],
    ['vegie-spread', 'Vegie spread', false],
    ['0.5', '24 - 0.5 l bottles', true],
    ['5', '24 - 0.5 l bottles', false],
    ['-40', '-40 to +85', true],
    ['40', '-40 to +85', false],
    ['12v', '12V-24V', true],
    ['2.5 kg', '2.5kg', true],
    ['10x12', 'box 10x12 cm', true],
    ['example.com', 'see https://example.com/shop?id=1', true],
    ['example.com/shop?id=1', 'see https://example.com/shop?id=1', true],
    ['jo@example.com', 'mail jo@example.com now', true],
    ['b', '<b>bold</b>', false],
    ['bold', '<b>bold</b>', true],
    ['日本', '日本 tea', true],
  ]);
});

describe('fts joins words with operators', () => {
  holds('fts', [
    ['tofu', 'Longlife Tofu', true],
    ['tofu | chai', 'Chai', true],
    ['tofu & chai', 'Chai', false],
    ['!tofu', 'Chai', true],
    ['!tofu', 'Tofu', false],
    ['hot <-> pepper', 'Hot Pepper Sauce', true],
    ['pepper <-> hot', 'Hot Pepper Sauce', false],
    ['hot <2> sauce', 'Hot Pepper Sauce', true],
    ['hot <-> !pepper', 'Hot Pepper Sauce', false],
    ['hot <-> (salt | pepper)', 'Hot Pepper Sauce', true],
    ['(hot & cold) <-> sauce', 'Hot Sauce', false],
    ['chai | tofu & sauce', 'Chai', true],
    ['(chai | tofu) & sauce', 'Chai', false],
    ['!!chai', 'Chai', true],
    ["'long' & 'life'", 'Longlife Tofu', false],
    ["'hot pepper'", 'Hot Pepper Sauce', true],
    ["'hot sauce'", 'Hot Pepper Sauce', false],
    ["'anton''s'", "Chef Anton's Gumbo Mix", true],
    ['vegie-spread', 'Vegie-spread', true],
    ['lou:*', 'Louisiana Hot', true],
    ['lou', 'Louisiana Hot', false],
    ['tofu:D', 'Tofu', true],
    ['tofu:A', 'Tofu', false],
    ['tofu:*AD', 'Tofu', true],
  ]);
});

describe('stop words are ignored, but keep their position in a phrase', () => {
  holds('fts', [
    ['the & tofu', 'Tofu', true],
    ['!the & tofu', 'Tofu', true],
    ['the', 'the', false],
    ['!the', 'anything', false],
    ['', 'anything', false],
    ['lord <-> of <-> rings', 'lord of rings', true],
    ['lord <-> of <-> rings', 'lord rings', false],
  ]);
  holds('phfts', [
    ['lord of the rings', 'the lord of the rings', true],
    ['lord of the rings', 'the lord rings', false],
    ['chef anton', "Chef Anton's Gumbo Mix", true],
    ['anton chef', "Chef Anton's Gumbo Mix", false],
    ['the', 'the', false],
  ]);
});

describe('wfts accepts the syntax of a search box', () => {
  holds('wfts', [
    ['chef anton', "Anton's Chef", true],
    ['chef -gumbo', "Chef Anton's Gumbo Mix", false],
    ['chef -gumbo', "Chef Anton's Cajun Seasoning", true],
    ['tofu or chai', 'Chai', true],
    ['tofu OR chai', 'Chang', false],
    ['"hot pepper"', 'Hot Pepper Sauce', true],
    ['"pepper hot"', 'Hot Pepper Sauce', false],
    ['"hot pepper', 'Hot Pepper Sauce', true],
    ['-"hot pepper" sauce', 'Pepper Sauce', true],
    ['oregano', 'Oregano', true],
    ['tofu or', 'Tofu', true],
    ['!)(&| <tofu:', 'Tofu', true],
    ['', 'Tofu', false],
    ['-', 'Tofu', false],
  ]);
});

describe('errors use the wording of PostgreSQL', () => {
  const cases = [
    ['chef anton', 'syntax error in tsquery: "chef anton"'],
    ['(chef', 'syntax error in tsquery: "(chef"'],
    ['chef)', 'syntax error in tsquery: "chef)"'],
    ['()', 'syntax error in tsquery: "()"'],
    ["'chef", 'syntax error in tsquery: "\'chef"'],
    ["''", 'syntax error in tsquery: "\'\'"'],
    ['& chef', 'syntax error in tsquery: "& chef"'],
    [':A', 'syntax error in tsquery: ":A"'],
    ['a <-> ', 'no operand in tsquery: "a <-> "'],
    ['chef &', 'no operand in tsquery: "chef &"'],
    ['!', 'no operand in tsquery: "!"'],
    ['a <99999> b', 'distance in phrase operator must be an integer value between zero and 16384 inclusive'],
  ] as const;
  test.each(cases)('%j', (query, message) => {
    expect(verdict(() => compileSearch('fts', 'english', query), 'x')).toBe(`42601 ${message}`);
  });

  test('an unknown configuration is rejected, and the error names the known ones', () => {
    for (const mode of ['fts', 'plfts', 'phfts', 'wfts'] as const) {
      expect(() => compileSearch(mode, 'klingon', 'tofu')).toThrow(
        expect.objectContaining({
          code: '42704',
          message: 'text search configuration "klingon" does not exist',
          hint: 'The configurations are english and simple.',
        }),
      );
    }
  });
});

describe('any query', () => {
  const pieces = fc.array(
    fc.constantFrom(
      ...[
        'tofu',
        'the',
        'hot-pepper',
        "anton's",
        'röd',
        '1.5',
        ' ',
        ' ',
        '&',
        '|',
        '!',
        '(',
        ')',
        '<->',
        '<2>',
        '<',
        '>',
      ],
      ...["'", '"', ':*', ':A', ':', '\\', '-', ' or ', 'http://', '@', '.com', '/', '😀', '<b>', '\u0301'],
    ),
    { maxLength: 12 },
  );
  const texts = fc.oneof(
    pieces.map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );
  const modes = fc.constantFrom<SearchMode>('fts', 'plfts', 'phfts', 'wfts');

  test('gives a result or a rejection, and nothing else', () => {
    fc.assert(
      fc.property(modes, fc.constantFrom('english', 'simple'), texts, texts, (mode, config, query, text) => {
        verdict(() => compileSearch(mode, config, query), text);
      }),
      { numRuns: 300 * RUNS },
    );
  });

  test('is rejected only by fts', () => {
    fc.assert(
      fc.property(fc.constantFrom<SearchMode>('plfts', 'phfts', 'wfts'), texts, (mode, query) => {
        expect(verdict(() => compileSearch(mode, 'english', query), 'Tofu')).toBeBoolean();
      }),
    );
  });

  test('finds a text by its own words, also as a phrase, and not by their negation', () => {
    const words = fc.array(fc.constantFrom('hot', 'pepper', 'the', 'sauces', 'of', "chef's", 'low-fat', '12.5'), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(words, (parts) => {
        const text = `tofu ${parts.join(' ')}`;
        expect(compileSearch('plfts', 'english', text)(text)).toBe(true);
        expect(compileSearch('phfts', 'english', text)(`some ${text} here`)).toBe(true);
        expect(compileSearch('wfts', 'english', `-"${text}"`)(text)).toBe(false);
      }),
    );
  });

  test('finishes quickly even if it is hostile', () => {
    expect(verdict(() => compileSearch('fts', 'english', '!'.repeat(100_000)), '')).toBe('54000 tsquery is too large');
    expect(verdict(() => compileSearch('fts', 'english', '('.repeat(100_000)), '')).toBe('54000 tsquery is too large');
    expect(verdict(() => compileSearch('phfts', 'simple', 'a '.repeat(100_000)), '')).toBe(
      '54000 tsquery is too large',
    );
    const find = compileSearch('fts', 'english', 'tofu <-> !chai');
    for (const unit of ['a-', 'a.', 'a_', 'a/', 'a@', '1.', '<a ', "<a '", '<!--', '&a', 'é-', 'tofu ']) {
      expect(find(`${unit.repeat(50_000)} chai`)).toBe(unit === 'tofu ');
    }
  });
});
