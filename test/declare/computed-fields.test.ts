/** Computed fields in a declaration: every mistake has its line and column. */
import { expect, test } from 'bun:test';
import { parseDeclaration } from '../../src/declare/read.ts';

const FIELDS = `
      id: int4
      name: text
      day: date
      tags: 'text[]'
      price: 'decimal(12,2)'
      weight: float8
      other: { type: int4, computed: id * 2 }`;
const problem = (type: string, computed: string) => {
  const head = `collections:\n  products:\n    fields:${FIELDS}\n`;
  try {
    parseDeclaration(`${head}      x: { type: '${type}', computed: ${computed} }\n`, 'c.yaml');
  } catch (error) {
    return (error as Error).message.split('\n').at(-1)!.trim();
  }
  return undefined;
};
/** The line of the field, and the column of the first sign of its expression. */
const at = (type: string, offset: number) =>
  `c.yaml:11:${`      x: { type: '${type}', computed: `.length + 1 + offset}: products.x: `;

test.each([
  ['int4', 'price - csot', 8, 'computed: unknown field csot'],
  ['int4', 'prcie', 0, 'computed: unknown field prcie (perhaps you meant price)'],
  ['int4', "'price -'", 8, 'computed: the expression ends here, and a field, a number or a text is expected'],
  ['int4', 'price price', 6, 'computed: price is here, and an operator is expected'],
  ['int4', 'price ; 2', 6, 'computed: ; is not part of an expression'],
  ['int4', '(price + 2', 10, 'computed: the expression ends here, and ) is expected'],
  ['int4', 'name + 1', 0, 'computed: + takes a number, and this is text'],
  ['int4', 'name', 0, 'computed: the field is int4, and this is text'],
  ['text', 'price', 0, 'computed: the field is text, and this is a number'],
  ['decimal(12,2)', 'weight * 2', 7, 'computed: the field is decimal(12,2), and this is float8'],
  ['boolean', 'name < price', 7, 'computed: < compares or chooses text here, and this is a number'],
  ['boolean', 'tags = tags', 0, 'computed: = cannot take text[]'],
  ['boolean', '"day < \'soon\'"', 7, 'computed: invalid input syntax for type date: "soon"'],
  [
    'boolean',
    '"day < \'today\'"',
    7,
    "computed: 'today' means another moment each time, and a computed field changes by writes only",
  ],
  ['int4', 'other + 1', 0, 'computed: other is computed itself; repeat its expression in parentheses instead'],
  [
    'int4',
    'sqrt(price)',
    0,
    'computed: unknown function sqrt; the functions are coalesce, lower, upper, length, round, abs, filled',
  ],
  ['int4', '"round(price, id)"', 14, 'computed: round takes the number of decimals, from 0 to 18'],
  ['int4', 'abs(price', 9, 'computed: the expression ends here, and ) is expected'],
  ['int4', 'case price when 1 then 2 end', 5, 'computed: price is here, and when is expected'],
  ['text', 'lower(upper(name))', 0, 'computed: lower and upper cannot be inside each other'],
  ['int4', `${'('.repeat(60)}id${')'.repeat(60)}`, 51, 'computed: an expression may nest 50 deep'],
] as const)('%s computed as %s', (type, computed, offset, words) => {
  // Offsets include the quote of YAML.
  expect(problem(type, computed)).toBe(`${at(type, offset)}${words}`);
});

test('an expression of several lines has the line of its mistake', () => {
  const text = `collections:\n  products:\n    fields:${FIELDS}\n      x:\n        type: int4\n        computed: >\n          price\n          + csot\n`;
  expect(() => parseDeclaration(text, 'c.yaml')).toThrow('c.yaml:15:13: products.x: computed: unknown field csot');
});

test('excludes what a computed value cannot have', () => {
  const of =
    (field: string, more = '') =>
    () =>
      parseDeclaration(
        `collections: { c: { fields: { id: int4, a: int4, x: { ${field}, computed: a } }${more} } }`,
        'c.yaml',
      );
  expect(of('type: int4, default: 1')).toThrow('computed and default exclude each other');
  expect(of('type: int4, references: c')).toThrow('computed and references exclude each other');
  expect(of('type: int4', ', key: x')).toThrow('a key field cannot be computed');
  expect(of('type: json')).toThrow('a field of type json cannot be computed');
  expect(of('type: int4, required: true, unique: true, indexed: true, minimum: 0')).not.toThrow();
});
