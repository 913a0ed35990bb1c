/** A list that is planned after another of the same outline means just what it means when it is planned alone. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { products } from '../../src/collection/products.ts';
import { OPERATORS } from '../../src/dialect/operators.ts';
import { pageOfQuery } from '../../src/dialect/page.ts';
import { parseQuery } from '../../src/dialect/query.ts';
import { type PlannedRead, planRead } from '../../src/plan/read.ts';
import { RememberedReads } from '../../src/plan/remembered-reads.ts';

const field = fc.constantFrom(...products.fields.map(({ name }) => name));
const operator = fc.constantFrom('eq', 'gt', 'lte', 'neq', 'not.eq', 'eq(any)', ...Object.keys(OPERATORS));
/** Texts that end in a number, or nearly; the number is filled in. */
const value = fc.constantFrom(
  '#',
  '#',
  '#',
  '#',
  '21.#',
  'a.#',
  '-#',
  '#.#',
  '1e#',
  '.#',
  '(1,#)',
  '{#}',
  '*#',
  '#x',
  '',
);
const parameter = fc.oneof(
  fc.tuple(field, operator, value).map(([name, test, text]) => `${name}=${test}.${text}`),
  fc.constantFrom(
    'limit=#',
    'offset=#',
    'limit=1#',
    'order=id.desc',
    'order=unit_price.#',
    'select=id,unit_price',
    '%6Cimit=#',
    'select',
    'limit',
    '%73elect=id',
    '+id=eq.#',
  ),
  fc.constantFrom(
    'select=#',
    'select=category_id,count()',
    'or=(id.eq.#,id.eq.1)',
    'columns=id',
    'and=(id.gt.#)',
    'and=(id.gt.#,unit_price.lt.#)',
    'and=(or(unit_price.lt.#,and(unit_price.eq.#,id.gt.#)),not.and(id.lt.#,id.gt.#))',
    'or=(product_name.eq.a.#,id.eq."7")',
    'and=(id.in.(1.#,#),id.gt.#)',
    'not.or=(id.eq.#,product_name.fts.#)',
    'discontinued=eq.#',
    'x=eq.#',
    '',
  ),
);
const outline = fc.array(parameter, { maxLength: 4 }).map((parameters) => parameters.join('&'));
const number = fc
  .oneof(fc.nat(99), fc.nat(), fc.constantFrom('2147483648', '99999999999', '0', '007', '00'))
  .map(String);

/** The outline is what plans have in common, and says nothing of what they mean. */
function meaning({ query, plan: { outline: _, ...plan } }: PlannedRead): PlannedRead {
  return { query, plan };
}

function planned(plan: () => unknown): unknown {
  try {
    return plan();
  } catch (error) {
    return { refused: String(error) };
  }
}

test('for any outline and any numbers', () => {
  fc.assert(
    fc.property(outline, fc.array(number, { minLength: 24, maxLength: 24 }), (text, numbers) => {
      const reads = new RememberedReads(products);
      const left = [...numbers];
      for (let turn = 0; turn < 4; turn++) {
        const filled = text.replaceAll('#', () => left.pop() ?? '7');
        const alone = planned(() => {
          const query = parseQuery(filled);
          return { query, plan: planRead(products, query, pageOfQuery(query), undefined) };
        });
        expect(planned(() => meaning(reads.read(filled)))).toEqual(alone);
      }
    }),
    { numRuns: 5000 },
  );
});

test.each([
  'limit=#',
  'category_id=eq.#&limit=#',
  'offset=#&limit=#&order=unit_price.desc',
  'select=id,unit_price&id=gt.#',
  'limit=#&and=(id.gt.#)',
  'or=(id.lt.#,and(category_id.eq.#,id.gt.#))',
])('%s is planned once for all numbers', (text) => {
  const reads = new RememberedReads(products);
  const [, , third, fourth] = [10, 20, 30, 40].map((each) => reads.read(text.replaceAll('#', String(each))).plan);
  expect(third?.outline).toBeDefined();
  expect(fourth?.outline).toBe(third!.outline!);
});
