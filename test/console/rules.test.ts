/** Stored conditions in a form: unedited ones keep their text, and an edit changes only what it names. */
import { afterAll, expect, test } from 'bun:test';
import { declareCatalogue } from '../../src/collection/declaration.ts';
import {
  describeRule,
  type Line,
  linesOf,
  printRule,
  readLines,
  readRule,
  withoutLine,
} from '../../src/console/browser/find/condition-lines.ts';
import { listParts } from '../../src/console/browser/find/conditions.ts';
import { setNumberLocale } from '../../src/console/browser/i18n/numbers.ts';

const collection = declareCatalogue({
  collections: [
    {
      name: 'groups',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'parent_id', type: 'int4', references: { collection: 'groups', onDelete: 'restrict' } },
        { name: 'name', type: 'text' },
        { name: 'price', type: 'decimal(10,3)' },
        { name: 'since', type: 'timestamptz' },
        { name: 'hidden', type: 'boolean' },
      ],
    },
  ],
}).collections.get('groups')!;

const linesIn = (where: string) => linesOf(collection, readRule(collection, where));
const print = (lines: readonly Line[]) => {
  const { filters, problems } = readLines(collection, lines);
  return filters === undefined ? lines.map((line) => problems.get(line)) : printRule(collection, filters);
};
const edit = (where: string, at: number, values: Partial<Line>) =>
  print(linesIn(where).map((line, each) => (each === at ? { ...line, ...values } : line)));

afterAll(() => setNumberLocale('en'));

test.each([
  'id=not.in.(1,2)',
  'price=gt.1.250',
  'price=eq.{claims.limit-a}',
  'since=gte.2026-01-01T00:00:00',
  'since=lt.2026-01-01 10:00:00.123456%2B02',
  'name=neq.',
  'name=unknown',
  'price=eq.much',
  'or=(price.gt.1.250,name.eq."tea",id.in.(1,2))&hidden=is.false',
  'or=(price.gt."1.250",name.eq."{claims.region}")',
  'or=(parent_id.is.null,parent_id.hidden.is.false)',
  'parent_id.hidden=is.false&parent_id.price=lt.2.500',
  'groups.name=eq.tea&not.and=(groups.hidden.is.true)',
])('%s stays as it is, whatever the language', (where) => {
  for (const language of ['en', 'de']) {
    setNumberLocale(language);
    expect(print(linesIn(where))).toBe(where);
  }
});

test('an edit of a stored number is read as it is shown', () => {
  setNumberLocale('de');
  const where = 'price=gt.1.250&since=gte.2026-01-01T00:00:00';
  expect(linesIn(where)[0]).toMatchObject({ operand: '1,250' });
  expect(edit(where, 0, { operand: '1,255' })).toBe('price=gt.1.255&since=gte.2026-01-01T00:00:00');
  expect(edit(where, 0, { operand: '1.255' })).toBe('price=gt.1255&since=gte.2026-01-01T00:00:00');
  expect(edit(where, 1, { isNegated: true })).toBe('price=gt.1.250&since=not.gte.2026-01-01T00:00:00');
  const wrong = [
    { ...linesIn(where)[0]!, operand: '1,5' },
    { ...linesIn('price=gt.1')[0]!, operand: 'much' },
  ];
  expect(print(wrong)).toEqual([undefined, expect.stringContaining('much')]);
});

test('a rule in words has its groups in parentheses', () => {
  const group = 'or=(since.is.null,since.gt.{now})';
  const words = 'Since is empty or Since > now';
  expect(describeRule(collection, `name=eq.tea&${group}`)).toBe(`Name = tea and (${words})`);
  expect(describeRule(collection, group)).toBe(words);
});

test('a path in a group is no operator: the group stays an expression', () => {
  const where = 'or=(parent_id.is.null,parent_id.hidden.is.false)';
  expect(linesIn(where)).toMatchObject([{ name: 'or', operator: '', operand: where.slice('or='.length) }]);
});

test('an edited group is printed again', () => {
  const where = 'or=(price.gt.1.5,name.eq.tea)';
  setNumberLocale('en');
  expect(edit(where, 0, { operand: '2' })).toBe('or=(price.gt."2",name.eq."tea")');
  expect(edit(where, 1, { isOr: false })).toBe('price=gt.1.5&name=eq.tea');
});

test('a list of values stays negated, but not together with the empty value', () => {
  const where = 'id=not.in.(1,2)';
  expect(edit(where, 0, listParts(['1', '2', '3']))).toBe('id=not.in.("1","2","3")');
  expect(edit(where, 0, listParts(['1']))).toBe('id=not.in.("1")');
  expect(edit(where, 0, listParts([null]))).toBe('id=not.is.null');
  expect(edit(where, 0, listParts([null, '1']))).toEqual([expect.stringContaining('empty value')]);
  expect(edit('id=in.(1,2)', 0, listParts([null, '1']))).toBe('or=(id.is.null,id.in.("1"))');
});

test('what remains of a group after a removal is still joined by “and” with the conditions before it', () => {
  const lines = linesIn('id=gt.1&or=(price.gt.5,name.eq.tea,hidden.is.true)');
  const [first, second, third] = lines as [Line, Line, Line];
  expect(print(withoutLine(lines, second))).toBe('id=gt.1&or=(name.eq."tea",hidden.is.true)');
  expect(print(withoutLine(lines, third))).toBe('id=gt.1&or=(price.gt."5",hidden.is.true)');
  expect(print(withoutLine(lines, first))).toBe('or=(price.gt.5,name.eq.tea,hidden.is.true)');
  const pair = linesIn('id=gt.1&or=(price.gt.5,name.eq.tea)');
  expect(print(withoutLine(pair, pair[1]!))).toBe('id=gt.1&name=eq.tea');
});
