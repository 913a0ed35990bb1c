/** Conditions become predicates: fields resolved, values typed, what an operator cannot serve refused. */
import type { Collection, Field } from '../collection/declaration.ts';
import { FIELD_TYPES, readText } from '../collection/field-types.ts';
import { OPERATORS, type ValueOperator } from '../dialect/operators.ts';
import type { Comparison, Condition, Quantifier, Test } from '../dialect/tree.ts';
import { Refusal } from '../errors.ts';
import { parseArrayLiteral } from './array-literal.ts';
import { resolvePath, titleOf } from './resolve.ts';
import { ALWAYS, type Comparator, type Predicate } from './types.ts';

const UNKNOWN: Predicate = { kind: 'constant', value: null };
const NEVER: Predicate = { kind: 'constant', value: false };
const DEFAULT_SEARCH_CONFIG = 'english';

export function planConditions(collection: Collection, conditions: readonly Condition[]): Predicate {
  if (conditions.length === 0) return ALWAYS;
  if (conditions.length === 1) return planCondition(collection, conditions[0]!);
  return { kind: 'all', terms: conditions.map((condition) => planCondition(collection, condition)) };
}

function planCondition(collection: Collection, condition: Condition): Predicate {
  const planned =
    condition.kind === 'comparison'
      ? planComparison(collection, condition)
      : ({
          kind: condition.joiner === 'and' ? 'all' : 'any',
          terms: condition.terms.map((term) => planCondition(collection, term)),
        } as const);
  return condition.negated ? { kind: 'not', term: planned } : planned;
}

function planComparison(collection: Collection, { field: path, test }: Comparison): Predicate {
  const operand = resolvePath(collection, path);
  return operand.kind === 'field' ? planTest(operand.field, test) : testOnNull(test);
}

/** Nothing compares with null; but null is null, and distinct from every value. */
function testOnNull(test: Test): Predicate {
  if (test.kind === 'is') return { kind: 'constant', value: test.value === 'null' || test.value === 'unknown' };
  if (test.kind === 'value' && test.operator === 'isdistinct') return ALWAYS;
  return UNKNOWN;
}

function planTest(field: Field, test: Test): Predicate {
  switch (test.kind) {
    case 'is':
      return planIs(field, test.value);
    case 'in':
      return { kind: 'in', field, values: test.values.map((text) => FIELD_TYPES[field.type].readComparable(text)) };
    case 'search':
      if (field.type !== 'text') throw noSuch(`function to_tsvector(${titleOf(field)})`, 'function');
      return {
        kind: 'search',
        field,
        mode: test.operator,
        config: test.config ?? DEFAULT_SEARCH_CONFIG,
        query: readText(test.query),
      };
    case 'value':
      if (!(OPERATORS[test.operator].serves as readonly string[]).includes(field.type)) {
        throw refuseOperator(field, test.operator);
      }
      if (test.quantifier === undefined) return VALUE_TESTS[test.operator](field, test.value);
      return planQuantified(field, test.operator, test.quantifier, test.value);
  }
}

function planQuantified(field: Field, operator: ValueOperator, quantifier: Quantifier, text: string): Predicate {
  const listed = parseArrayLiteral(starsToPercents(operator, text));
  const values = listed.filter((value) => value !== null);
  // To equal any of a list is to be in it: one lookup, however long the list.
  const terms: readonly Predicate[] =
    operator === 'eq' && quantifier === 'any'
      ? [{ kind: 'in', field, values: values.map(FIELD_TYPES[field.type].readComparable) }]
      : values.map((value) => VALUE_TESTS[operator](field, value));
  return { kind: quantifier, terms: values.length < listed.length ? [...terms, UNKNOWN] : terms };
}

function planIs(field: Field, value: 'null' | 'not_null' | 'true' | 'false' | 'unknown'): Predicate {
  const isNull: Predicate = field.required ? NEVER : { kind: 'null', field };
  if (value === 'null') return isNull;
  if (value === 'not_null') return { kind: 'not', term: isNull };
  const message = `argument of IS ${value.toUpperCase()} must be type boolean, not type ${titleOf(field)}`;
  throw new Refusal('42804', message, {
    hint: `${field.name} is no boolean; compare it with ${field.name}=eq.<value>.`,
  });
}

type ValueTest = (field: Field, text: string) => Predicate;

const compare =
  (operator: Comparator): ValueTest =>
  (field, text) => ({ kind: 'compare', field, operator, value: FIELD_TYPES[field.type].readComparable(text) });

const like =
  (caseless: boolean): ValueTest =>
  (field, text) => ({ kind: 'like', field, pattern: readText(text.replaceAll('*', '%')), caseless });

const regex =
  (caseless: boolean): ValueTest =>
  (field, text) => ({ kind: 'regex', field, pattern: readText(text), caseless });

const unserved =
  (operator: ValueOperator): ValueTest =>
  (field) => {
    throw refuseOperator(field, operator);
  };

const VALUE_TESTS: Readonly<Record<ValueOperator, ValueTest>> = {
  eq: compare('='),
  neq: compare('<>'),
  gt: compare('>'),
  gte: compare('>='),
  lt: compare('<'),
  lte: compare('<='),
  isdistinct: (field, text) => ({ kind: 'distinct', field, value: FIELD_TYPES[field.type].readComparable(text) }),
  like: like(false),
  ilike: like(true),
  match: regex(false),
  imatch: regex(true),
  cs: unserved('cs'),
  cd: unserved('cd'),
  ov: unserved('ov'),
  sl: unserved('sl'),
  sr: unserved('sr'),
  nxr: unserved('nxr'),
  nxl: unserved('nxl'),
  adj: unserved('adj'),
};

/** A star is a percent before the list is read, so that messages show the pattern PostgreSQL would have seen. */
function starsToPercents(operator: ValueOperator, value: string): string {
  return operator === 'like' || operator === 'ilike' ? value.replaceAll('*', '%') : value;
}

/** As PostgreSQL resolves the operator for such a column and an unknown literal. */
function refuseOperator(field: Field, operator: ValueOperator): Refusal {
  const { symbol } = OPERATORS[operator];
  const title = titleOf(field);
  if (operator === 'cd') {
    return new Refusal('42725', `operator is not unique: ${title} ${symbol} unknown`, {
      hint: 'Could not choose a best candidate operator. You might need to add explicit type casts.',
    });
  }
  if (field.type === 'int4' && (operator === 'sl' || operator === 'sr')) {
    return new Refusal('42804', 'argument of WHERE must be type boolean, not type integer', {
      hint: `On an integer ${symbol} shifts bits; ${operator} is for ranges.`,
    });
  }
  return noSuch(`operator does not exist: ${title} ${symbol} unknown`, 'operator');
}

export function noSuch(what: string, kind: 'operator' | 'function'): Refusal {
  return new Refusal('42883', kind === 'operator' ? what : `${what} does not exist`, {
    hint: `No ${kind} matches the given name and argument types. You might need to add explicit type casts.`,
  });
}
