/** Turns conditions into predicates: resolves fields, types values, rejects operators that a type does not support. */

import { ApiError } from '../base/errors.ts';
import { MAX_LIST_VALUES } from '../base/limits/http.ts';
import { say } from '../base/sentence.ts';
import { type Collection, type Field, stored } from '../collection/declaration.ts';
import { isOfSearch } from '../collection/search-fields.ts';
import { treeOf } from '../collection/tree.ts';
import { parseArrayLiteral } from '../collection/types/array/array-literal.ts';
import { readText } from '../collection/types/text.ts';
import { type Moving, movingWord } from '../collection/types/time/moving-moment.ts';
import { type Containment, can, type RangeOperator, type Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { tooManyValues } from '../dialect/filter.ts';
import { OPERATORS, servesType, type ValueOperator } from '../dialect/operators.ts';
import type { Comparison, Condition, IsValue, Quantifier, Test } from '../dialect/tree.ts';
import { type Embeds, existsPredicate, findEmbed, NO_EMBEDS, resolveTested } from './read/embeds.ts';
import { fieldExpression, misplacedSearch, undefinedFor } from './resolve.ts';
import { ALWAYS, type Comparator, type Expression, fieldOf, NEVER, type Predicate, UNKNOWN } from './types.ts';

const DEFAULT_SEARCH_CONFIG = 'english';

export function planConditions(
  collection: Collection,
  conditions: readonly Condition[],
  embeds: Embeds = NO_EMBEDS,
): Predicate {
  if (conditions.length === 0) return ALWAYS;
  if (conditions.length === 1) return planCondition(collection, conditions[0]!, embeds);
  return { kind: 'all', terms: conditions.map((condition) => planCondition(collection, condition, embeds)) };
}

function planCondition(collection: Collection, condition: Condition, embeds: Embeds): Predicate {
  const planned =
    condition.kind === 'comparison'
      ? (planPresence(collection, condition, embeds) ?? planComparison(collection, condition, embeds))
      : ({
          kind: condition.joiner === 'and' ? 'all' : 'any',
          terms: condition.terms.map((term) => planCondition(collection, term, embeds)),
        } as const);
  return condition.negated ? { kind: 'not', term: planned } : planned;
}

/** `products=is.null` tests for the absence of embedded rows. Any other test addresses a field, as in PostgREST. */
function planPresence(collection: Collection, { field, test }: Comparison, embeds: Embeds): Predicate | undefined {
  if (embeds.size === 0 || field.json.length > 0 || field.figure !== undefined) return undefined;
  const embed = findEmbed(embeds, field.name);
  if (embed === undefined) return undefined;
  if (test.kind === 'is' && test.value === 'null') return { kind: 'not', term: existsPredicate(embed) };
  if (stored(collection).byName.has(field.name)) return undefined;
  throw new ApiError('42703', say`column ${collection.name}.${field.name} does not exist`, {
    hint: `${field.name} is embedded: ${field.name}=is.null and ${field.name}=not.is.null ask whether it is there, ${field.name}.<field>=… filters its rows.`,
  });
}

function planComparison(collection: Collection, { field: path, test }: Comparison, embeds: Embeds): Predicate {
  const of = resolveTested(collection, path, embeds);
  if (test.kind === 'search' && isOfSearch(fieldOf(of))) throw misplacedSearch();
  try {
    return of.kind === 'null' ? testOnNull(test) : planTest(of, test, collection);
  } catch (error) {
    throw withAdvice(error, path.name, of.type, test);
  }
}

/** Reads the text of a field's value, such as the key in a path. */
export function readValue({ name, type }: Pick<Field, 'name' | 'type'>, text: string): Value {
  try {
    return type.read(text);
  } catch (error) {
    throw withAdvice(error, name, type);
  }
}

/** Adds the field to an error about a value, unless the error already has a hint. */
function withAdvice(error: unknown, name: string, { title }: Type, test?: Test): unknown {
  if (!(error instanceof ApiError) || !NO_VALUE.includes(error.code) || error.hint !== null) return error;
  const isNull = test?.kind === 'value' && /^null$/i.test(test.value);
  const hint = isNull
    ? say`To find rows without a value, write ${name}=is.null.`
    : say`The field ${name} is of type ${title}.`;
  return new ApiError(error.code, error.wordings.message, { details: error.wordings.details || undefined, hint });
}

const NO_VALUE: readonly string[] = ['22P02', '22003', '22007', '22008'];

/** Comparisons with null are unknown; but null is null, and distinct from every value. */
function testOnNull(test: Test): Predicate {
  if (test.kind === 'is') return { kind: 'constant', value: test.value === 'null' || test.value === 'unknown' };
  if (test.kind === 'value' && test.operator === 'isdistinct') return ALWAYS;
  return UNKNOWN;
}

function planTest(of: Expression, test: Test, collection: Collection): Predicate {
  switch (test.kind) {
    case 'is':
      return planIs(of, test.value);
    case 'unknown':
      return UNKNOWN;
    case 'in':
      return planIn(of, test.values, collection);
    case 'search':
      if (!servesType(OPERATORS[test.operator], of.type))
        throw undefinedFor(say`function to_tsvector(${of.type.title})`, 'function');
      return {
        kind: 'search',
        of,
        mode: test.operator,
        config: test.config ?? DEFAULT_SEARCH_CONFIG,
        query: readText(test.query),
      };
    case 'value':
      if (!servesType(OPERATORS[test.operator], of.type)) throw unsupportedOperator(of.type, test.operator);
      if (test.quantifier === undefined) return VALUE_TESTS[test.operator](of, test.value, collection);
      return planQuantified(of, test.operator, test.quantifier, test.value, collection);
  }
}

/** Each word such as `today` is a comparison of its own. */
function planIn(of: Expression, texts: readonly string[], collection: Collection): Predicate {
  const movingTexts = texts.filter((text) => movingIn(of.type, text, collection) !== undefined);
  const fixed = movingTexts.length === 0 ? texts : texts.filter((text) => !movingTexts.includes(text));
  const member: Predicate = { kind: 'in', of, values: fixed.map((text) => of.type.read(text)) };
  if (movingTexts.length === 0) return member;
  return { kind: 'any', terms: [member, ...movingTexts.map((text) => VALUE_TESTS.eq(of, text, collection))] };
}

function planQuantified(
  of: Expression,
  operator: ValueOperator,
  quantifier: Quantifier,
  text: string,
  collection: Collection,
): Predicate {
  if (of.type.element !== undefined) {
    throw new ApiError('42704', say`could not find array type for data type ${of.type.title}`);
  }
  const listed = parseArrayLiteral(starsToPercents(operator, text)).items;
  if (listed.length > MAX_LIST_VALUES) throw tooManyValues();
  const values = listed.filter((value) => value !== null);
  // `eq(any)` becomes one `in` lookup, however long the list.
  const terms: readonly Predicate[] =
    operator === 'eq' && quantifier === 'any'
      ? [planIn(of, values, collection)]
      : values.map((value) => VALUE_TESTS[operator](of, value, collection));
  return { kind: quantifier, terms: values.length < listed.length ? [...terms, UNKNOWN] : terms };
}

function planIs(of: Expression, value: IsValue): Predicate {
  const isNull: Predicate = of.kind === 'field' && of.field.required ? NEVER : { kind: 'null', of };
  if (value === 'null') return isNull;
  if (value === 'not_null') return { kind: 'not', term: isNull };
  if (can(of.type, 'boolean')) return { kind: 'truth', of, value: value === 'unknown' ? null : value === 'true' };
  const message = say`argument of IS ${value.toUpperCase()} must be type boolean, not type ${of.type.title}`;
  const name = of.kind === 'field' ? of.field.name : 'it';
  throw new ApiError('42804', message, { hint: `${name} is not a boolean; compare it with eq.<value>.` });
}

type ValueTest = (of: Expression, text: string, collection: Collection) => Predicate;

/** The value of a word such as `today` is that of now, until the plan is bound to a time. */
const compare =
  (operator: Comparator): ValueTest =>
  (of, text, collection) => {
    const moving = movingIn(of.type, text, collection);
    if (moving === undefined) return { kind: 'compare', of, operator, value: of.type.read(text) };
    return { kind: 'compare', of, operator, value: of.type.moving!(moving, Date.now()), moving };
  };

function movingIn(type: Type, text: string, { timeZone: zone }: Collection): Moving | undefined {
  const word = type.moving && movingWord(text);
  return word && { word, zone };
}

const contains =
  (operator: Containment | RangeOperator): ValueTest =>
  (of, text) => ({ kind: 'contains', of, operator, value: of.type.read(text) });

const inTree =
  (direction: 'within' | 'above'): ValueTest =>
  (of, text, collection) => {
    const found = of.kind === 'field' ? treeOf(collection, of.field) : undefined;
    if (found === undefined) throw notOfTree(of, direction);
    const key = fieldExpression(found.relation.inner);
    const from: Predicate = { kind: 'compare', of: key, operator: '=', value: key.type.read(text) };
    return { kind: 'exists', relation: found.relation, where: ALWAYS, tree: { direction, by: found.by, from } };
  };

function notOfTree(of: Expression, operator: string): ApiError {
  const name = of.kind === 'field' ? of.field.name : 'a JSON path';
  return new ApiError('42883', say`operator does not exist: ${of.type.title} ${operator} unknown`, {
    hint: `${operator} needs a collection that refers to itself: use it on its key or on a reference to it, not on ${name}.`,
  });
}

const like =
  (caseless: boolean): ValueTest =>
  (of, text) => ({ kind: 'like', of, pattern: readText(text.replaceAll('*', '%')), caseless });

const regex =
  (caseless: boolean): ValueTest =>
  (of, text) => ({ kind: 'regex', of, pattern: readText(text), caseless });

const VALUE_TESTS: Readonly<Record<ValueOperator, ValueTest>> = {
  eq: compare('='),
  neq: compare('<>'),
  gt: compare('>'),
  gte: compare('>='),
  lt: compare('<'),
  lte: compare('<='),
  isdistinct: (of, text, collection) =>
    movingIn(of.type, text, collection) === undefined
      ? { kind: 'distinct', of, value: of.type.read(text) }
      : { kind: 'any', terms: [{ kind: 'null', of }, compare('<>')(of, text, collection)] },
  like: like(false),
  ilike: like(true),
  match: regex(false),
  imatch: regex(true),
  within: inTree('within'),
  above: inTree('above'),
  cs: contains('cs'),
  cd: contains('cd'),
  ov: contains('ov'),
  sl: contains('sl'),
  sr: contains('sr'),
  nxr: contains('nxr'),
  nxl: contains('nxl'),
  adj: contains('adj'),
};

/** Replaces `*` by `%` before parsing the list, so that messages show PostgreSQL's pattern. */
function starsToPercents(operator: ValueOperator, value: string): string {
  return operator === 'like' || operator === 'ilike' ? value.replaceAll('*', '%') : value;
}

/** Reports the operator as PostgreSQL resolves it for this column and an unknown literal. */
function unsupportedOperator(type: Type, operator: ValueOperator): ApiError {
  const { title } = type;
  const { symbol } = OPERATORS[operator];
  if (operator === 'cd') {
    return new ApiError('42725', say`operator is not unique: ${title} ${symbol} unknown`, {
      hint: 'Could not choose a best candidate operator. You might need to add explicit type casts.',
    });
  }
  if ((operator === 'sl' || operator === 'sr') && can(type, 'integer')) {
    return new ApiError('42804', say`argument of WHERE must be type boolean, not type ${title}`, {
      hint: `On an integer ${symbol} shifts bits; ${operator} is for ranges.`,
    });
  }
  return undefinedFor(say`operator does not exist: ${title} ${symbol} unknown`, 'operator');
}
