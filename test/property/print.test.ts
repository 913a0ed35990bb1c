/** Parsing the output of `printQuery` gives the same tree, for any tree of the grammar. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { OPERATORS, type OperatorName, type SearchOperator, type ValueOperator } from '../../src/dialect/operators.ts';
import { printQuery } from '../../src/dialect/print.ts';
import { parseQuery } from '../../src/dialect/query.ts';
import {
  AGGREGATES,
  type Condition,
  IS_VALUES,
  type OrderTerm,
  type Query,
  type SelectItem,
  type Test,
} from '../../src/dialect/tree.ts';
import { RUNS } from '../support/generated/generators.ts';

const names = (form: string) =>
  (Object.keys(OPERATORS) as OperatorName[]).filter((name) => OPERATORS[name].form === form);

const optional = <T extends object>(arbitraries: { [K in keyof T]-?: fc.Arbitrary<T[K]> }) =>
  fc.record(arbitraries, { requiredKeys: [] });

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => value.isWellFormed());
const name = fc.oneof(
  fc.constantFrom('id', 'product_name', 'select', 'order', 'and', 'or', 'not', 'limit', 'after'),
  text.filter((value) => value.trim() !== '' && value.trim() === value),
);
const field = fc.record({
  name,
  json: fc.array(
    fc.record({ arrow: fc.constantFrom('->' as const, '->>' as const), key: text.filter((key) => key !== '') }),
    { maxLength: 2 },
  ),
});

const valueTest: fc.Arbitrary<Test> = fc
  .tuple(
    fc.constantFrom(...(names('value') as ValueOperator[])),
    text,
    fc.constantFrom(undefined, 'any' as const, 'all' as const),
  )
  .map(([operator, value, quantifier]) => {
    const quantified = quantifier !== undefined && OPERATORS[operator].quantifiable;
    return quantified ? { kind: 'value', operator, value, quantifier } : { kind: 'value', operator, value };
  });
const test_: fc.Arbitrary<Test> = fc.oneof(
  valueTest,
  fc
    .array(text, { maxLength: 4 })
    .filter((values) => values.join() !== '' || values.length !== 1)
    .map((values): Test => ({ kind: 'in', values })),
  fc.constantFrom(...IS_VALUES).map((value): Test => ({ kind: 'is', value })),
  fc
    .tuple(
      fc.constantFrom(...(names('search') as SearchOperator[])),
      text,
      fc.constantFrom(undefined, 'english', 'simple'),
    )
    .map(
      ([operator, query, config]): Test =>
        config === undefined ? { kind: 'search', operator, query } : { kind: 'search', operator, config, query },
    ),
);
const comparison = fc.record({ kind: fc.constant('comparison' as const), field, negated: fc.boolean(), test: test_ });
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    fc.record({
      kind: fc.constant('group' as const),
      joiner: fc.constantFrom('and' as const, 'or' as const),
      negated: fc.boolean(),
      terms: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

/** The start condition of a page, which never occurs inside another condition. */
const after = fc
  .array(condition, { minLength: 1, maxLength: 2 })
  .map((terms): Condition => ({ kind: 'group', joiner: 'and', negated: false, terms, after: true }));

const cast = fc.constantFrom('text', 'int', 'numeric');
const item: fc.Arbitrary<SelectItem> = fc.oneof(
  fc.constant({ kind: 'all' } as const),
  fc
    .tuple(fc.constant({ kind: 'count' as const }), optional({ alias: name, cast }))
    .map(([count, rest]) => ({ ...count, ...rest }) as SelectItem),
  fc
    .tuple(
      field,
      optional({ alias: name, cast }),
      fc.constantFrom(undefined, ...AGGREGATES),
      fc.option(cast, { nil: undefined }),
    )
    .map(
      ([path, rest, aggregate, aggregateCast]) =>
        ({
          kind: 'column',
          field: path,
          ...rest,
          ...(aggregate === undefined ? {} : { aggregate, ...(aggregateCast === undefined ? {} : { aggregateCast }) }),
        }) as SelectItem,
    ),
);
const orderTerm: fc.Arbitrary<OrderTerm> = fc
  .tuple(field, fc.boolean(), fc.constantFrom(undefined, 'first' as const, 'last' as const))
  .map(([path, descending, nulls]) =>
    nulls === undefined ? { field: path, descending } : { field: path, descending, nulls },
  );

const query: fc.Arbitrary<Query> = fc
  .tuple(
    fc.record({
      conditions: fc.array(fc.oneof({ weight: 4, arbitrary: condition }, { weight: 1, arbitrary: after }), {
        maxLength: 3,
      }),
      select: fc.array(item, { minLength: 1, maxLength: 4 }),
      order: fc.array(orderTerm, { maxLength: 3 }),
    }),
    optional({ limit: fc.nat(), offset: fc.nat(), columns: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }) }),
  )
  .map(([required, rest]) => ({ ...required, ...rest }) as Query);

test('parsing a printed query gives the same tree', () => {
  fc.assert(
    fc.property(query, (tree) => {
      expect(parseQuery(printQuery(tree))).toEqual(tree);
    }),
    { numRuns: 250 * RUNS },
  );
});
