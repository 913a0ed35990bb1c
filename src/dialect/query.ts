/**
 * Stage 2, dialect: parses the query string into a syntax tree.
 *
 * In: the text after `?`.
 * Out: a `Query`.
 * Guarantees: the tree follows PostgREST's grammar and its limits. Fields may not exist: the plan checks them.
 * Throws: PGRST100 with the position and the expected text; PGRST103, 22021, 54000.
 */
import { ApiError } from '../base/errors.ts';
import { MAX_CONDITIONS } from '../base/limits/http.ts';
import { splitQuery } from '../base/net/query-string.ts';
import { say } from '../base/sentence.ts';
import { parseFilter } from './filter.ts';
import { isAfter, isLogicKey, parseAfter, parseLogic, tooManyConditions } from './logic.ts';
import { embedPath, readName, readQuoted, Scanner } from './names.ts';
import { parseFacets, parseOrder } from './order.ts';
import { EVERYTHING, parseSelect } from './select.ts';
import type { Condition, EmbedParameters, Query, Test } from './tree.ts';

const NO_CONDITIONS: readonly Condition[] = [];
const NO_EMBEDS: ReadonlyMap<string, EmbedParameters> = new Map();

const NO_ORDER: Query['order'] = [];

export const EMPTY_QUERY: Query = { conditions: NO_CONDITIONS, select: EVERYTHING, order: NO_ORDER };

export const PARAMETERS = ['select', 'order', 'limit', 'offset', 'columns', 'on_conflict'] as const;

/** Whether a key of the query string is a parameter of the dialect and not a filter. */
export function isParameter(key: string): boolean {
  return (PARAMETERS as readonly string[]).includes(key);
}

/** The parameter of a client that accepts facets. For any other it is a filter, since a field may have that name. */
const FACETS = 'facets';

/** The first of repeated parameters wins; for `limit` and `offset` the last, as in PostgREST. */
export function parseQuery(text: string, acceptsFacets = false): Query {
  if (text === '' && !acceptsFacets) return EMPTY_QUERY;
  const conditions: Condition[] = [];
  const query: { -readonly [Key in keyof Query]?: Query[Key] } = { conditions };
  let embeds: Map<string, Draft<EmbedParameters>> | undefined;
  for (const [name, value] of splitQuery(text)) {
    const { steps, key } = splitKey(name);
    if (steps.length > 0) {
      embeds ??= new Map();
      parseEmbedTerm(embeds, steps.map(nameOfStep), key, value);
    } else if (key === 'select') query.select ??= parseSelect(value);
    else if (key === 'columns') query.columns ??= parseNames('columns parameter', value);
    else if (key === 'on_conflict') query.onConflict ??= parseNames('on_conflict parameter', value);
    else if (key === FACETS && acceptsFacets) query.facets ??= parseFacets(value);
    else if (isLanguage(key, value)) query.language ??= value;
    else if (isAfter(key, value)) conditions.push(parseAfter(value));
    else parseTerm(query, conditions, key, value);
  }
  checkConditionCount(conditions, embeds ?? NO_EMBEDS);
  query.select ??= EMPTY_QUERY.select;
  query.order ??= EMPTY_QUERY.order;
  if (acceptsFacets) query.facets ??= [];
  if (embeds !== undefined) query.embeds = embeds;
  return query as Query;
}

/** `lang=de`. A filter on a field of this name has an operator. */
export function isLanguage(key: string, value: string): boolean {
  return key === 'lang' && !value.includes('.');
}

type Draft<Terms> = { -readonly [Key in keyof Terms]: Terms[Key] };

function parseEmbedTerm(
  embeds: Map<string, Draft<EmbedParameters>>,
  way: readonly string[],
  key: string,
  value: string,
): void {
  const written = way.reduce(embedPath, '');
  const terms = embeds.get(written) ?? { way, conditions: [], order: NO_ORDER };
  embeds.set(written, terms);
  parseTerm(terms, terms.conditions as Condition[], key, value, `${written}.`);
}

/** Parses a parameter of the request's own list or of an embedded one. */
function parseTerm(
  terms: { order?: Query['order']; limit?: number; offset?: number },
  conditions: Condition[],
  key: string,
  value: string,
  path?: string,
): void {
  if (key === 'order') {
    const order = parseOrder(value);
    if (terms.order === undefined || terms.order.length === 0) terms.order = order;
  } else if (key === 'limit') terms.limit = parseWholeNumber(key, value);
  else if (key === 'offset') terms.offset = parseWholeNumber(key, value);
  else conditions.push(isLogicKey(key) ? parseLogic(key, value) : parseFilter(key, value, path));
}

const LOGIC_END = /(^|\.)((?:not\.)?(?:and|or))$/;
const NO_STEPS: readonly string[] = [];

const AGGREGATE_END = /\.[a-z]+\((?:distinct)?\)$/;

/**
 * `products.prices.amount` addresses an embedding by its path. Quoted names and JSON paths may contain dots. A figure
 * (`prices.amount.min()`) belongs to the row that has the related rows.
 */
export function splitKey(name: string): { steps: readonly string[]; key: string } {
  if (!name.includes('.')) return { steps: NO_STEPS, key: name };
  const aggregate = AGGREGATE_END.exec(name);
  if (aggregate !== null) {
    const steps = splitAtPoints(name.slice(0, aggregate.index));
    return { steps, key: `${steps.splice(-2).join('.')}${aggregate[0]}` };
  }
  const logic = LOGIC_END.exec(name);
  const steps = splitAtPoints(logic === null ? name : name.slice(0, logic.index));
  const key = logic === null ? steps.pop()! : logic[2]!;
  return { steps: logic?.index === 0 ? NO_STEPS : steps, key };
}

function splitAtPoints(text: string): string[] {
  const steps: string[] = [];
  let start = 0;
  // An unclosed quote is scanned once, not again from every quote inside it.
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|->|[<>~=]|\./g)) {
    // A point after an arrow or a comparison, such as `price>5.5`, separates no steps.
    if (!'".'.includes(found[0]!)) break;
    if (found !== '.') continue;
    steps.push(text.slice(start, index));
    start = index + 1;
  }
  return [...steps, text.slice(start)];
}

function nameOfStep(step: string): string {
  const scanner = new Scanner('filter', step);
  const name = readQuoted(scanner);
  if (name !== undefined) scanner.expectEnd();
  return name ?? step;
}

function parseWholeNumber(name: string, value: string): number {
  if (name === 'limit' && /^-\d+$/.test(value)) {
    const hint = `limit=${value} is negative. Write limit=10 for 10 rows; for all rows, leave limit out.`;
    throw notSatisfiable('Limit should be greater than or equal to zero.', undefined, hint);
  }
  if (!/^\d+$/.test(value)) {
    throw new ApiError('PGRST100', say`"failed to parse ${name} (${value})" (line 1, column 1)`, {
      details: say`unexpected "${value}" expecting a whole number from 0 on`,
    });
  }
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}

function parseNames(subject: string, value: string): readonly string[] {
  const scanner = new Scanner(subject, value);
  const names = scanner.list(() => {
    scanner.skipSpaces();
    const name = readName(scanner);
    scanner.skipSpaces();
    return name;
  });
  scanner.expectEnd('"," or end of input');
  return [...new Set(names)];
}

function checkConditionCount(conditions: readonly Condition[], embeds: ReadonlyMap<string, EmbedParameters>): void {
  let sum = count(conditions);
  for (const terms of embeds.values()) sum += count(terms.conditions);
  if (sum > MAX_CONDITIONS) throw tooManyConditions();
}

function count(terms: readonly Condition[]): number {
  let sum = 0;
  for (const term of terms) sum += term.kind === 'group' ? count(term.terms) : weight(term.test);
  return sum;
}

/** `like(any).{a,b}` counts as two conditions; `eq(any)` is a single lookup. */
function weight(test: Test): number {
  if (test.kind !== 'value' || test.quantifier === undefined) return 1;
  return test.operator === 'eq' && test.quantifier === 'any' ? 1 : test.value.split(',').length;
}

export interface Page {
  readonly offset: number;
  /** Absent means no limit. */
  readonly limit?: number;
}

const RANGE = /^(\d+)-(\d*)$/;

/** A Range header that is not a range of items is ignored (RFC 9110, 14.2). */
export function pageOf(query: Query, rangeHeader: string | null): Page {
  const page = pageOfQuery(query);
  const match = rangeHeader === null ? null : RANGE.exec(rangeHeader);
  if (match === null) return page;
  const first = countable(match[1]!);
  const last = match[2] === '' ? Number.POSITIVE_INFINITY : countable(match[2]!);
  if (first > last) {
    throw notSatisfiable('The lower boundary must be lower than or equal to the upper boundary in the Range header.');
  }
  const offset = Math.max(first, page.offset);
  const end = Math.min(last + 1, page.limit === undefined ? Number.POSITIVE_INFINITY : page.offset + page.limit);
  if (end < offset) throw notSatisfiable('Limit should be greater than or equal to zero.');
  if (end === Number.POSITIVE_INFINITY) return { offset };
  return { offset, limit: Math.min(end - offset, Number.MAX_SAFE_INTEGER) };
}

/** A bound beyond the size of any collection, which both engines can represent. */
function countable(digits: string): number {
  return Math.min(Number(digits), Number.MAX_SAFE_INTEGER - 1);
}

export function pageOfQuery(query: Query): Page {
  const offset = query.offset ?? 0;
  return query.limit === undefined ? { offset } : { offset, limit: query.limit };
}

export function notSatisfiable(details: string, headers?: Readonly<Record<string, string>>, hint?: string): ApiError {
  return new ApiError('PGRST103', say`Requested range not satisfiable`, { details, hint, headers });
}
