/**
 * The cost model of both engines. It decides from a plan and the statistics of its tables what is certainly cheap, and
 * may run on the event loop or on a shared connection. Text processing counts as steps per byte: patterns and searches
 * scan a text, JSON paths and casts parse it.
 */
import { unlessRejected } from '../../base/errors.ts';
import { INLINE_ANSWER_BYTES, INLINE_PAGE_ROWS, INLINE_STEPS } from '../../base/limits/engine.ts';
import { memoize } from '../../base/memo.ts';
import { allReferences, type Collection, type Field, uniqueSets } from '../../collection/declaration.ts';
import type { Relation } from '../../collection/relations.ts';
import { can, isLong, type Type } from '../../collection/types/type.ts';
import { changingCollections } from '../../plan/access/named-fields.ts';
import { NO_ORDER } from '../../plan/read/order.ts';
import { conjuncts, type Expression, fieldOf, namedField, type Predicate, type ReadPlan } from '../../plan/types.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import { sizeOfRegex } from '../../text/regex.ts';
import type { Write } from '../engine.ts';
import { columnSizes } from '../sql/row-size.ts';
import { dependsOnOtherCollections, maxKeys, readsOtherCollections, testsOtherCollections } from './plan-keys.ts';

export interface Statistics {
  /** Whether the table has few rows. */
  isSmall(collection: Collection): boolean;
  /** An upper bound for all texts of the table; infinite if it has many rows. */
  bytes(collection: Collection): number;
}

/** Whether a scan of whole tables is cheap: they are small, and text processing and output fit the budget. */
export function isCheapScan(plan: ReadPlan, statistics: Statistics): boolean {
  if (!statistics.isSmall(plan.from) || plan.facets !== undefined) return false;
  const tables = tablesOf(plan);
  if (tables.length > 1 && !tables.every((each) => statistics.isSmall(each))) return false;
  const { repeats } = columnSizes(plan.columns);
  const steps = filterSteps(plan, INLINE_STEPS) + columnSteps(plan.columns);
  if (steps === 0 && repeats === 1) return true;
  const bytes = tables.reduce((sum, each) => sum + statistics.bytes(each), 0);
  return steps * bytes <= INLINE_STEPS && repeats * bytes <= INLINE_ANSWER_BYTES;
}

/** Requests with the same columns share their list. */
const tablesOfColumns = memoize((_columns: ReadPlan['columns']) => ({ tables: [] as readonly Collection[] }));

/** The tables that a read reads, with its own. */
function tablesOf(plan: ReadPlan): readonly Collection[] {
  if (!readsOtherCollections(plan)) return [plan.from];
  if (dependsOnOtherCollections(plan)) return changingCollections(plan);
  const known = tablesOfColumns(plan.columns);
  if (known.tables.length === 0) known.tables = changingCollections(plan);
  return known.tables;
}

/** The bytes of a page whose texts fit the budget. They can be measured before they are processed. */
export function cheapPageBytes({ columns }: ReadPlan): number {
  const steps = columnSteps(columns);
  return steps === 0 ? INLINE_ANSWER_BYTES : Math.min(INLINE_ANSWER_BYTES, INLINE_STEPS / steps);
}

/**
 * Whether the read finds few rows of one table by their keys or other unique values. `unindexed` are the fields whose
 * declared index does not exist.
 */
export function isByKey({ from, where }: ReadPlan, unindexed: ReadonlySet<Field>): boolean {
  const terms = conjuncts(where);
  return uniqueSets(from).some((key) => hasFewKeys({ key }, terms, unindexed));
}

const NO_FIELDS: ReadonlySet<Field> = new Set();

function hasFewKeys(
  { key }: Pick<Collection, 'key'>,
  terms: readonly Predicate[],
  unindexed: ReadonlySet<Field>,
): boolean {
  return maxKeys({ key }, terms) !== undefined && !key.some((field) => unindexed.has(field));
}

/**
 * Whether it is a page along the key or an index from its start, or of the rows with one indexed value. An index is
 * usable if few rows have the same value.
 */
export function isIndexWalk(
  { from, where, order, groupBy, count, offset, limit }: ReadPlan,
  isUsable: (field: Field) => boolean,
): boolean {
  const terms = conjuncts(where);
  const [key, ...more] = from.key;
  const [first, second] = order.map(({ expression }) => namedField(expression));
  if (key === undefined || more.length > 0 || first === undefined || groupBy !== undefined || count !== undefined)
    return false;
  if (offset + (limit ?? Number.POSITIVE_INFINITY) > INLINE_PAGE_ROWS || !isUsable(key)) return false;
  const hasOrder = (field: Field | undefined) => field !== undefined && isOrdered(field) && isUsable(field);
  if (first !== key) return hasOrder(first) && order.length === 2 && second === key && terms.length === 0;
  if (order.length !== 1) return false;
  const [only] = terms;
  if (terms.length === 1 && only?.kind === 'compare' && only.operator === '=' && hasOrder(namedField(only.of)))
    return true;
  return terms.every((term) => term.kind === 'compare' && term.operator !== '<>' && fieldOf(term.of) === key);
}

/** Indexes of json and arrays have no order. */
function isOrdered({ indexed, type }: Field): boolean {
  return indexed && !can(type, 'json') && !can(type, 'array');
}

/** The entries of the log after a position that a read as of it may have to undo. */
const RECENT_CHANGES = 1_000;

/**
 * Recognizes the reads of one step of a feed, which are cheap: a few rows by key, or a few entries of the log. `newest`
 * is the last known position: later changes cost time.
 */
export function isStepRead(plan: ReadPlan, asOf: number | undefined, newest: number): boolean {
  if (asOf === undefined || newest - asOf > RECENT_CHANGES || plan.groupBy !== undefined) return false;
  if (plan.facets !== undefined || filterSteps(plan) > 0 || readsOtherCollections(plan)) return false;
  const terms = conjuncts(plan.where);
  return plan.log === undefined ? namesKeys(plan.from, terms) : isRecentPart(plan, terms, asOf);
}

function namesKeys(collection: Collection, terms: readonly Predicate[]): boolean {
  if (maxKeys(collection, terms) !== undefined) return true;
  // Keys of several fields are a list of conditions.
  const isKey = (term: Predicate) => maxKeys(collection, conjuncts(term)) !== undefined;
  return terms.some((term) => term.kind === 'any' && term.terms.length <= INLINE_PAGE_ROWS && term.terms.every(isKey));
}

/** The position, collection and key of the entries after a recent position. */
function isRecentPart({ log, from, columns }: ReadPlan, terms: readonly Predicate[], asOf: number): boolean {
  const isShort = columns.every(({ expression }) => fieldOf(expression) !== undefined && !can(expression.type, 'json'));
  const isAfter = (term: Predicate) =>
    term.kind === 'compare' &&
    term.operator === '>' &&
    fieldOf(term.of) === from.key[0] &&
    asOf - Number(term.value) <= RECENT_CHANGES;
  return isShort && terms.some(isAfter) && log!.every(({ where }) => isCheapFilter(where));
}

/** Whether writes are certainly cheap. `isSmall` is called only if needed: whether the collection has few rows. */
export function areCheapWrites(
  writes: readonly Write[],
  isSmall: (plan: WritePlan) => boolean,
  unindexed: ReadonlySet<Field> = NO_FIELDS,
): boolean {
  let rows = 0;
  return writes.every(({ plan }) => {
    rows += rowsInBody(plan);
    return rows <= INLINE_PAGE_ROWS && isCheapWrite(plan, () => isSmall(plan), unindexed);
  });
}

/** The number of rows that a write names; a change by a filter counts as one. */
export function rowsInBody(plan: WritePlan): number {
  if (plan.kind === 'insert') return plan.rows.length;
  return plan.kind === 'update-each' ? plan.changes.length : 1;
}

function isCheapWrite(plan: WritePlan, isSmall: () => boolean, unindexed: ReadonlySet<Field>): boolean {
  if (plan.returning !== undefined && readsOtherCollections(plan.returning)) return false;
  switch (plan.kind) {
    case 'insert':
      return true;
    case 'update-each':
      return plan.among === undefined || isCheapFilter(plan.among);
    case 'delete':
    case 'update':
      if (plan.kind === 'delete' && cascadesOnDelete(plan.into)) return false;
      if (!isCheapFilter(plan.where, plan.bound?.order)) return false;
      return hasFewKeys(plan.into, conjuncts(plan.where), unindexed) || isSmall();
  }
}

function isCheapFilter(where: Predicate, order: ReadPlan['order'] = NO_ORDER): boolean {
  return !testsOtherCollections(where) && filterSteps({ where, order }) === 0;
}

/** Whether deleting or changing a row affects an unknown number of rows in other collections. */
const cascadesOnDelete = memoize(({ name, among }: Collection): boolean =>
  [...among.values()].some((each) =>
    allReferences(each).some(({ to, onDelete }) => to === name && onDelete !== 'restrict'),
  ),
);

/** Tokenizing uses a long regular expression, and each word is looked up. */
const SEARCH_STEPS = 64;
/** Without its instructions. */
const REGEX_STEPS = 16;
/** JSON is parsed and printed. */
const READING_STEPS = 8;
/** Each part of a list is compared with each element of the other. */
const LIST_PART = 256;
/** PostgreSQL may compare each part of a literal at each position of a text. */
const LITERAL_PART = 4;
/** A function of the database may take any time, or fail. */
const FUNCTION_STEPS = 64;
/** The steps of a filter that reads each of its texts once. */
const FEW_STEPS = READING_STEPS;

/** Whether the time of a filter may reveal that a row has a long text. */
export function isCostlyFilter(where: Predicate, few = FEW_STEPS): boolean {
  return stepsOf(where, few) > few;
}

/** Steps on rows that may not be part of the result. Stops counting beyond `enough`. */
export function filterSteps({ where, order }: Pick<ReadPlan, 'where' | 'order'>, enough = 0): number {
  return columnSteps(order) + stepsOf(where, enough);
}

type RegexTest = Pick<Extract<Predicate, { caseless: boolean }>, 'pattern' | 'caseless'>;

/** Cached, since measuring takes time proportional to the expression. */
export const regexInstructions = memoize(({ pattern, caseless }: RegexTest) => sizeOfRegex(pattern, caseless));

/** Cached: requests share lists of columns, and orders. */
export const columnSteps = memoize((columns: readonly { readonly expression: Expression }[]): number =>
  columns.reduce((steps, { expression }) => steps + stepsOfExpression(expression), 0),
);

function stepsOf(predicate: Predicate, enough: number): number {
  switch (predicate.kind) {
    case 'constant':
      return 0;
    case 'all':
    case 'any':
      return predicate.terms.reduce((steps, term) => (steps > enough ? steps : steps + stepsOf(term, enough)), 0);
    case 'not':
      return stepsOf(predicate.term, enough);
    case 'like':
      return stepsOfLike(predicate.pattern) + stepsOfExpression(predicate.of);
    case 'regex':
      // An invalid expression is rejected at compilation, so that the first of several errors is reported.
      return (
        REGEX_STEPS +
        (enough && (unlessRejected(() => regexInstructions(predicate)) ?? 0)) +
        stepsOfExpression(predicate.of)
      );
    case 'search':
      return SEARCH_STEPS + predicate.query.length + stepsOfExpression(predicate.of);
    case 'exists':
      return stepsOfRelated(predicate, enough);
    case 'contains':
      return READING_STEPS + Math.floor(String(predicate.value).length / LIST_PART) + stepsOfExpression(predicate.of);
    case 'in':
      return (
        Math.floor(predicate.values.length / INLINE_PAGE_ROWS) +
        (isParsed(predicate.of.type) ? READING_STEPS : 0) +
        stepsOfExpression(predicate.of)
      );
    case 'compare':
    case 'distinct':
      return (isParsed(predicate.of.type) ? READING_STEPS : 0) + stepsOfExpression(predicate.of);
    default:
      return stepsOfExpression(predicate.of);
  }
}

/** Whether a comparison parses values that may be long. */
function isParsed(type: Type): boolean {
  return type.sqlite.keyed === true && isLong(type);
}

function stepsOfRelated({ relation, where }: { relation: Relation; where: Predicate }, enough: number): number {
  return (relation.computedBy === undefined ? 0 : FUNCTION_STEPS) + stepsOf(where, enough);
}

/** A short literal is found in one pass; each wildcard may need several. */
function stepsOfLike(pattern: string): number {
  const isPart = !pattern.slice(1, -1).includes('%') && !pattern.includes('_');
  return isPart ? 1 + Math.floor(pattern.length / LITERAL_PART) : pattern.length;
}

function stepsOfExpression(expression: Expression): number {
  if (expression.kind === 'embed') {
    const { relation, plan } = expression;
    return stepsOfRelated({ relation, where: plan.where }, FEW_STEPS) + columnSteps(plan.columns);
  }
  if (expression.kind === 'field') return expression.field.computedOf === undefined ? 0 : FUNCTION_STEPS;
  if (!('of' in expression)) return 0;
  const reads = (expression.kind === 'path' || expression.kind === 'cast') && isLong(expression.of.type);
  return (reads ? READING_STEPS : 0) + stepsOfExpression(expression.of);
}
