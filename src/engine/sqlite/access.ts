/**
 * How the rows of a large table are reached. A read that walks along an index, every entry of it a row of the page,
 * takes well under a millisecond and may run between two requests; whatever is not surely that quick may not.
 */
import type { Collection, Field } from '../../collection/declaration.ts';
import { QUICK_PAGE_ROWS, QUICK_PATTERN_LENGTH, QUICK_PATTERNS } from '../../limits.ts';
import { fieldOf, isAlways, type OrderKey, type Predicate, type ReadPlan } from '../../plan/types.ts';
import type { Output } from '../compile/output.ts';
import { compileRead } from '../compile/read.ts';
import { type Access, identifier, type Statement, shifted } from '../compile/statement.ts';
import { sqliteDialect } from './dialect.ts';
import { type RowsPerValue, rowsPerRow } from './embed-cost.ts';
import { hasIndex, indexName } from './schema.ts';

/** The statement of a quick read; undefined for any other. */
export function compileQuickRead(plan: ReadPlan, output: Output, rowsPerValue: RowsPerValue): Statement | undefined {
  if (plan.groupBy !== undefined || !hasQuickPatterns(plan)) return undefined;
  const { from } = plan;
  const terms = conjuncts(plan.where);
  const each = rowsPerRow(plan, rowsPerValue);
  const named = keysNamed(from, terms);
  if (named !== undefined) return named * each > QUICK_PAGE_ROWS ? undefined : compileRead(plan, output, sqliteDialect);
  if (plan.count !== undefined || rowsTouched(plan) * each > QUICK_PAGE_ROWS) return undefined;
  const orderFields = plan.order.flatMap(({ expression }) => fieldOf(expression) ?? []);
  const [first] = orderFields;
  if (first === undefined || orderFields.length !== plan.order.length) return undefined;
  // Other keys than an assigned one have an index of their own, whose order is not that of the table.
  if (from.assigned === undefined) return undefined;
  if (first === from.assigned) return walkByKey(plan, output, terms, from.assigned);
  if (!hasIndex(first) || orderFields.length !== 2 || orderFields[1] !== from.assigned) return undefined;
  return walkByField(plan, output, terms, first, rowsPerValue(from, first));
}

/** Along the table itself, from its start or from a key; or along the rows with one value, which are in key order. */
function walkByKey(plan: ReadPlan, output: Output, terms: readonly Predicate[], key: Field): Statement | undefined {
  const { from } = plan;
  const walks = terms.every((term) => isRange(term, key));
  if (walks) return compileRead(plan, output, sqliteDialect);
  const [only] = terms;
  const field = terms.length === 1 && only?.kind === 'compare' && only.operator === '=' ? fieldOf(only.of) : undefined;
  if (field === undefined || !hasIndex(field)) return undefined;
  return compileRead(plan, output, sqliteDialect, { from: fromIndex(from, field) });
}

/**
 * Along the index of the first order key. Where it runs backwards, the rows of each value must be sorted by key: their keys
 * alone, since most of them may not be on the page. `ties` is how many rows share a value.
 */
function walkByField(
  plan: ReadPlan,
  output: Output,
  terms: readonly Predicate[],
  field: Field,
  ties = Number.POSITIVE_INFINITY,
): Statement | undefined {
  const [byField, byKey] = plan.order as readonly [OrderKey, OrderKey];
  const backwards = byField.descending !== byKey.descending;
  const from = fromIndex(plan.from, field);
  const access = backwards ? { from, keysFirst: plan.from.assigned!.name } : { from };
  if (terms.length === 0) {
    return backwards && ties > QUICK_PAGE_ROWS ? undefined : compileRead(plan, output, sqliteDialect, access);
  }
  // From a value on, past the rows of that value that earlier pages had.
  if (ties > QUICK_PAGE_ROWS) return undefined;
  const seeks = (predicate: Predicate) =>
    conjuncts(predicate).some((term) => isRange(term, field)) &&
    fieldsOf(predicate).every((each) => each === field || each === plan.from.assigned);
  if (seeks(plan.where)) return compileRead(plan, output, sqliteDialect, access);
  const [only] = terms;
  if (byField.nulls !== 'last' || terms.length !== 1 || only?.kind !== 'any' || only.terms.length !== 2)
    return undefined;
  const [before, nulls] = only.terms as readonly [Predicate, Predicate];
  if (nulls.kind !== 'null' || fieldOf(nulls.of)?.name !== field.name || !seeks(before)) return undefined;
  return nullsAfter(plan, output, before, nulls, access);
}

/** The rows with values, then those without, each along the index: an `or` of the two would be sorted as a whole. */
function nullsAfter(plan: ReadPlan, output: Output, before: Predicate, nulls: Predicate, access: Access): Statement {
  const page = { ...plan, offset: 0, limit: rowsTouched(plan) };
  const one = compileRead({ ...page, where: before }, output, sqliteDialect, access);
  const other = compileRead({ ...page, where: nulls }, output, sqliteDialect, access);
  const params = [...one.params, ...other.params];
  return {
    sql: `select * from (${one.sql}) union all select * from (${shifted(other, one, '?')}) limit +?${params.length + 1} offset ?${params.length + 2}`,
    params: [...params, plan.limit ?? rowsTouched(plan), plan.offset],
  };
}

function fromIndex(collection: Collection, field: Field): string {
  return `${identifier(collection.name)} indexed by ${identifier(indexName(collection, field))}`;
}

function rowsTouched({ offset, limit }: ReadPlan): number {
  return offset + (limit ?? Number.POSITIVE_INFINITY);
}

function isRange(term: Predicate, field: Field): boolean {
  return term.kind === 'compare' && fieldOf(term.of)?.name === field.name && term.operator !== '<>';
}

/** How many rows are met at most, where the keys are named: by values of a key of one field, or one of each field of a longer one. */
function keysNamed({ key }: Collection, terms: readonly Predicate[]): number | undefined {
  const counts = key.map((field) => {
    const named = terms.flatMap((term) => {
      if ((term.kind !== 'compare' && term.kind !== 'in') || fieldOf(term.of) !== field) return [];
      if (term.kind === 'compare') return term.operator === '=' ? [1] : [];
      return key.length === 1 ? [term.values.length] : [];
    });
    return named.length === 0 ? undefined : Math.min(...named);
  });
  return counts.reduce((most, count) => (most === undefined || count === undefined ? undefined : most * count), 1);
}

function conjuncts(predicate: Predicate): readonly Predicate[] {
  if (predicate.kind === 'all') return predicate.terms.flatMap(conjuncts);
  return isAlways(predicate) ? [] : [predicate];
}

/** Of each test; undefined where it is about more than a field. */
function fieldsOf(predicate: Predicate): readonly (Field | undefined)[] {
  if ('terms' in predicate) return predicate.terms.flatMap(fieldsOf);
  if (predicate.kind === 'not') return fieldsOf(predicate.term);
  if (predicate.kind === 'exists') return [undefined];
  return predicate.kind === 'constant' ? [] : [fieldOf(predicate.of)];
}

/** Whether all patterns of a read together are quick on a row: a long one, or many, may take their time even on few rows. */
export function hasQuickPatterns({ where }: ReadPlan): boolean {
  const patterns = patternsOf(where);
  return patterns.length <= QUICK_PATTERNS && patterns.every(isQuick);
}

/** A bound such as {200} makes a long pattern of a short one. */
function isQuick(pattern: string): boolean {
  return pattern.length <= QUICK_PATTERN_LENGTH && !pattern.includes('{');
}

function patternsOf(predicate: Predicate): readonly string[] {
  if ('terms' in predicate) return predicate.terms.flatMap(patternsOf);
  if (predicate.kind === 'not') return patternsOf(predicate.term);
  if (predicate.kind === 'exists') return patternsOf(predicate.where);
  if (predicate.kind === 'search') return [predicate.query];
  return predicate.kind === 'like' || predicate.kind === 'regex' ? [predicate.pattern] : [];
}
