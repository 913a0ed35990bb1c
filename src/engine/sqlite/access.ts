/**
 * How the rows of a large table are reached. A read that walks along an index, every entry of it a row of the page,
 * takes well under a millisecond and may run between two requests; whatever is not surely that quick may not.
 */
import type { Collection, Field } from '../../collection/declaration.ts';
import { QUICK_PAGE_ROWS, QUICK_PATTERN_LENGTH, QUICK_PATTERNS } from '../../limits.ts';
import { isAlways, type OrderKey, type Predicate, type ReadPlan } from '../../plan/types.ts';
import { compileRead } from '../compile/read.ts';
import { type Access, identifier, type Statement } from '../compile/statement.ts';
import { sqliteDialect } from './dialect.ts';
import { indexName } from './schema.ts';

/** How many rows share a value of an indexed field, on average; undefined where nobody has looked yet. */
export type RowsPerValue = (field: Field) => number | undefined;

/** The statement of a quick read; undefined for any other. */
export function compileQuickRead(
  collection: Collection,
  plan: ReadPlan,
  rowsPerValue: RowsPerValue,
): Statement | undefined {
  if (plan.groupBy !== undefined || !hasQuickPatterns(plan)) return undefined;
  const terms = conjuncts(plan.where);
  if (terms.some((term) => namesFewKeys(collection, term))) return compileRead(collection.name, plan, sqliteDialect);
  if (plan.count !== undefined || rowsTouched(plan) > QUICK_PAGE_ROWS) return undefined;
  const orderFields = plan.order.flatMap(({ expression }) => (expression.kind === 'field' ? [expression.field] : []));
  const [first] = orderFields;
  if (first === undefined || orderFields.length !== plan.order.length) return undefined;
  if (isKey(collection, first)) return walkByKey(collection, plan, terms);
  if (first.indexed !== true || orderFields.length !== 2 || !isKey(collection, orderFields[1]!)) return undefined;
  return walkByField(collection, plan, terms, first, rowsPerValue);
}

/** Along the table itself, from its start or from a key; or along the rows with one value, which are in key order. */
function walkByKey(collection: Collection, plan: ReadPlan, terms: readonly Predicate[]): Statement | undefined {
  const walks = terms.every((term) => isRange(term, collection.key));
  const [only] = terms;
  const oneValue =
    terms.length === 1 && only?.kind === 'compare' && only.operator === '=' && only.field.indexed === true;
  if (!walks && !oneValue) return undefined;
  const access = oneValue ? { from: fromIndex(collection, only.field) } : undefined;
  return compileRead(collection.name, plan, sqliteDialect, access);
}

/**
 * Along the index of the first order key. Where it runs backwards, the rows of each value must be sorted by key: their keys
 * alone, since most of them may not be on the page.
 */
function walkByField(
  collection: Collection,
  plan: ReadPlan,
  terms: readonly Predicate[],
  field: Field,
  rowsPerValue: RowsPerValue,
): Statement | undefined {
  const [byField, byKey] = plan.order as readonly [OrderKey, OrderKey];
  const ties = rowsPerValue(field) ?? Number.POSITIVE_INFINITY;
  const backwards = byField.descending !== byKey.descending;
  const from = fromIndex(collection, field);
  const access = backwards ? { from, keysFirst: collection.key.name } : { from };
  if (terms.length === 0) {
    return backwards && ties > QUICK_PAGE_ROWS ? undefined : compileRead(collection.name, plan, sqliteDialect, access);
  }
  // From a value on, past the rows of that value that earlier pages had.
  if (ties > QUICK_PAGE_ROWS) return undefined;
  const seeks = (predicate: Predicate) =>
    conjuncts(predicate).some((term) => isRange(term, field)) &&
    fieldsOf(predicate).every((each) => each.name === field.name || isKey(collection, each));
  if (seeks(plan.where)) return compileRead(collection.name, plan, sqliteDialect, access);
  const [only] = terms;
  if (byField.nulls !== 'last' || terms.length !== 1 || only?.kind !== 'any' || only.terms.length !== 2)
    return undefined;
  const [before, nulls] = only.terms as readonly [Predicate, Predicate];
  if (nulls.kind !== 'null' || nulls.field.name !== field.name || !seeks(before)) return undefined;
  return nullsAfter(collection, plan, before, nulls, access);
}

/** The rows with values, then those without, each along the index: an `or` of the two would be sorted as a whole. */
function nullsAfter(
  collection: Collection,
  plan: ReadPlan,
  before: Predicate,
  nulls: Predicate,
  access: Access,
): Statement {
  const page = { ...plan, offset: 0, limit: rowsTouched(plan) };
  const one = compileRead(collection.name, { ...page, where: before }, sqliteDialect, access);
  const other = compileRead(collection.name, { ...page, where: nulls }, sqliteDialect, access);
  return {
    sql: `select * from (${one.sql}) union all select * from (${other.sql}) limit +? offset ?`,
    params: [...one.params, ...other.params, plan.limit ?? rowsTouched(plan), plan.offset],
  };
}

function fromIndex(collection: Collection, field: Field): string {
  return `${identifier(collection.name)} indexed by ${identifier(indexName(collection, field))}`;
}

function rowsTouched({ offset, limit }: ReadPlan): number {
  return offset + (limit ?? Number.POSITIVE_INFINITY);
}

function isKey({ key }: Collection, field: Field): boolean {
  return field.name === key.name;
}

function isRange(term: Predicate, field: Field): boolean {
  return term.kind === 'compare' && term.field.name === field.name && term.operator !== '<>';
}

function namesFewKeys(collection: Collection, term: Predicate): boolean {
  if (term.kind === 'compare') return isKey(collection, term.field) && term.operator === '=';
  return term.kind === 'in' && isKey(collection, term.field) && term.values.length <= QUICK_PAGE_ROWS;
}

function conjuncts(predicate: Predicate): readonly Predicate[] {
  if (predicate.kind === 'all') return predicate.terms.flatMap(conjuncts);
  return isAlways(predicate) ? [] : [predicate];
}

function fieldsOf(predicate: Predicate): readonly Field[] {
  if ('terms' in predicate) return predicate.terms.flatMap(fieldsOf);
  if (predicate.kind === 'not') return fieldsOf(predicate.term);
  return predicate.kind === 'constant' ? [] : [predicate.field];
}

/** Whether all patterns of a read together are quick on a row: a long one, or many, may take their time even on few rows. */
export function hasQuickPatterns({ where }: ReadPlan): boolean {
  if (where.kind === 'compare' || where.kind === 'constant') return true;
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
  if (predicate.kind === 'search') return [predicate.query];
  return predicate.kind === 'like' || predicate.kind === 'regex' ? [predicate.pattern] : [];
}
