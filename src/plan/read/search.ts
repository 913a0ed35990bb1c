/** Plans `search=wfts.…`: the words, and the declared texts that the caller may read. */
import { ApiError, unlessRejected } from '../../base/errors.ts';
import { type Collection, type Field, type SearchField, stored } from '../../collection/declaration.ts';
import { relationsOf } from '../../collection/relations.ts';
import { COMPLETIONS, MARKED_TEXTS, SEARCH, searched } from '../../collection/search-fields.ts';
import { readText } from '../../collection/types/text.ts';
import type { SearchOperator } from '../../dialect/operators.ts';
import type { Comparison, Condition, OrderTerm, Query, Test } from '../../dialect/tree.ts';
import { parseWords, type SearchSyntax } from '../../text/words/query.ts';
import { andAlso, type Permissions } from '../access/permissions.ts';
import { fieldOf, isAlways, type Predicate, type ReadableText, type ReadPlan, type SearchPlan } from '../types.ts';

type SearchTest = Extract<Test, { kind: 'search' }>;

const BEST_FIRST: readonly OrderTerm[] = [{ field: { name: SEARCH, json: [] }, descending: true }];
const SYNTAX: Readonly<Record<SearchOperator, SearchSyntax | undefined>> = {
  wfts: 'web',
  plfts: 'words',
  phfts: 'phrase',
  fts: undefined,
};

/** A request with a search: its other conditions, and the collection with the score. */
export interface SearchedQuery {
  readonly test: SearchTest;
  readonly collection: Collection;
  readonly query: Query;
}

/** Undefined if the request does not search. */
export function takeSearch(collection: Collection, query: Query): SearchedQuery | undefined {
  if (collection.search === undefined) return undefined;
  const [found, ...more] = query.conditions.filter(isSearch);
  if (found === undefined) return undefined;
  if (more.length > 0) throw rejected('a request has one search', 'Put all words into one: search=wfts.red shoe.');
  const { test, negated } = found;
  if (negated) throw rejected('a search cannot be negated', 'Exclude words with a minus sign: search=wfts.shoe -red.');
  const conditions = query.conditions.filter((each) => each !== found);
  return { test, collection: searched(collection), query: { ...query, conditions } };
}

function isSearch(condition: Condition): condition is Comparison & { readonly test: SearchTest } {
  if (condition.kind !== 'comparison') return false;
  const { field, test } = condition;
  return field.name === SEARCH && field.json.length === 0 && test.kind === 'search';
}

/** The best rows first, unless the request has an order or groups. */
export function withBestFirst(query: Query, isGrouped: boolean): Query {
  return query.order.length > 0 || isGrouped ? query : { ...query, order: BEST_FIRST };
}

export function planSearch(
  collection: Collection,
  { operator, config, query }: SearchTest,
  { columns, facets }: Pick<ReadPlan, 'columns' | 'facets'>,
  permissions: Permissions | undefined,
): SearchPlan {
  const { language, fields } = collection.search!;
  const syntax = SYNTAX[operator];
  if (syntax === undefined) throw rejected('search does not support fts', 'Use wfts, plfts or phfts.');
  if (config !== undefined && config !== language) {
    throw rejected(`the language of this search is ${language}, not ${config}`, `Write search=${operator}.${query}.`);
  }
  const visible: Predicate[] = [];
  const readable = fields.flatMap((field, number): ReadableText[] => {
    const { weight } = field;
    const rows = permissions === undefined ? undefined : readableRows(collection, field, permissions);
    if (permissions !== undefined && rows === undefined) return [];
    if (rows === undefined || isAlways(rows)) return [{ number, weight }];
    const known = visible.indexOf(rows);
    return [{ number, weight, rows: known === -1 ? visible.push(rows) - 1 : known }];
  });
  const named = [...columns.map(({ expression }) => expression), ...(facets?.list ?? []).map(({ of }) => of)].map(
    fieldOf,
  );
  const [isHighlighted, isCompleted] = [named.includes(MARKED_TEXTS), named.includes(COMPLETIONS)];
  return {
    query: parseWords(readText(query), language, syntax),
    fields: readable,
    visible,
    isHighlighted,
    isCompleted,
  };
}

/** The rows in which the caller may read a text; undefined if there are none. */
function readableRows(view: Collection, { field, by }: SearchField, permissions: Permissions): Predicate | undefined {
  const own = by?.field ?? field;
  if (!view.byName.has(own.name)) return undefined;
  const from = stored(view);
  const readable = (collection: Collection, of: Field) =>
    unlessRejected(() => permissions.rows(collection, 'read', new Set([of])));
  const rows = readable(from, own);
  if (by === undefined || rows === undefined) return rows;
  const target = view.among.get(by.to);
  if (target?.byName.has(field.name) !== true || !target.byName.has(by.key)) return undefined;
  const relation = relationsOf(from).find(({ referring, to }) => referring === by.field && to.name === by.to)!;
  const where = readable(stored(target), field);
  if (where === undefined) return undefined;
  return isAlways(where) ? rows : andAlso(rows, { kind: 'exists', relation, where });
}

function rejected(message: string, hint: string): ApiError {
  return new ApiError('PGRST127', message, { hint });
}
