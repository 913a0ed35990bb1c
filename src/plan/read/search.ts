/** Plans `search=wfts.…`: the words, and the declared texts that the caller may read. */
import { ApiError, unlessRejected } from '../../base/errors.ts';
import { type Collection, type Field, type Search, type SearchField, stored } from '../../collection/declaration.ts';
import { relationsOf } from '../../collection/relations.ts';
import { COMPLETIONS, MARKED_TEXTS, SEARCH, searched } from '../../collection/search-fields.ts';
import { readText } from '../../collection/types/text.ts';
import type { SearchOperator } from '../../dialect/operators.ts';
import type { Comparison, Condition, OrderTerm, Query, Test } from '../../dialect/tree.ts';
import type { Language } from '../../text/words/languages.ts';
import { parseWords, type SearchSyntax } from '../../text/words/query.ts';
import { andAlso, type Permissions } from '../access/permissions.ts';
import {
  ALWAYS,
  isAlways,
  type Predicate,
  type ReadableText,
  type ReadPlan,
  type SearchPlan,
  sourceOf,
} from '../types.ts';

type SearchTest = Extract<Test, { kind: 'search' }>;

const BEST_FIRST: readonly OrderTerm[] = [{ field: { name: SEARCH, json: [] }, descending: true }];
const SYNTAX: Readonly<Record<SearchOperator, SearchSyntax | undefined>> = {
  wfts: 'web',
  plfts: 'words',
  phfts: 'phrase',
  fts: undefined,
};

/** A request with a search: its other conditions, and the collection with the score. */
export interface SearchedQuery<Rows> {
  readonly test: SearchTest;
  readonly collection: Collection;
  readonly query: Query;
  readonly within: Rows | undefined;
}

/** Undefined if neither the request nor the stored query that it calls searches. */
export function takeSearch<Rows extends Pick<Query, 'conditions'>>(
  collection: Collection,
  query: Query,
  within?: Rows,
): SearchedQuery<Rows> | undefined {
  if (collection.search === undefined) return undefined;
  const conditions = new Set([...query.conditions, ...(within?.conditions ?? [])]);
  const [found, ...more] = [...conditions].filter(isSearch);
  if (found === undefined) return undefined;
  if (more.length > 0) throw rejected('a request has one search', 'Put all words into one: search=wfts.red shoe.');
  const { test, negated } = found;
  if (negated) throw rejected('a search cannot be negated', 'Exclude words with a minus sign: search=wfts.shoe -red.');
  const others = <Of extends Pick<Query, 'conditions'>>(of: Of): Of => {
    return { ...of, conditions: of.conditions.filter((each) => each !== found) };
  };
  return { test, collection: withScore(collection), query: others(query), within: within && others(within) };
}

/** The collection with the score, if it has a search. */
export function withScore(collection: Collection): Collection {
  return collection.search === undefined ? collection : searched(collection);
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
  tag: string | undefined,
): SearchPlan {
  const { fields } = collection.search!;
  const language = languageOf(collection.search!, tag);
  const syntax = SYNTAX[operator];
  if (syntax === undefined) throw rejected('search does not support fts', 'Use wfts, plfts or phfts.');
  // A browser may ask for another language than the page that it shows.
  if (config !== undefined && config !== language && config !== collection.search!.language) {
    throw rejected(`the language of this search is ${language}, not ${config}`, `Write search=${operator}.${query}.`);
  }
  const visible: Predicate[] = [];
  const readable = fields.flatMap((declared): ReadableText[] => {
    if (declared.translation !== undefined) return [];
    const translated = fields.find(({ name, translation }) => name === declared.name && translation?.tag === tag);
    for (const field of [translated, declared].filter((each) => each !== undefined)) {
      const rows = readableRows(collection, field, permissions);
      if (rows === undefined) continue;
      const [number, { weight }] = [fields.indexOf(field), field];
      if (isAlways(rows)) return [{ number, weight }];
      const known = visible.indexOf(rows);
      return [{ number, weight, rows: known === -1 ? visible.push(rows) - 1 : known }];
    }
    return [];
  });
  const shown = [...columns.map(({ expression }) => expression), ...(facets?.list ?? []).map(({ of }) => of)];
  const named = shown.map(sourceOf);
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
function readableRows(
  view: Collection,
  { field, by, translation }: SearchField,
  permissions: Permissions | undefined,
): Predicate | undefined {
  if (permissions === undefined) return ALWAYS;
  const texts = [field, ...(translation === undefined ? [] : [translation.field])];
  const readable = (collection: Collection, fields: readonly Field[]) =>
    fields.every(({ name }) => collection.byName.has(name))
      ? unlessRejected(() => permissions.rows(stored(collection), 'read', new Set(fields)))
      : undefined;
  const rows = readable(view, by === undefined ? texts : [by.field]);
  if (by === undefined || rows === undefined) return rows;
  const target = view.among.get(by.to);
  if (target?.byName.has(by.key) !== true) return undefined;
  const relation = relationsOf(stored(view)).find(({ referring, to }) => referring === by.field && to.name === by.to)!;
  const where = readable(target, texts);
  if (where === undefined) return undefined;
  return isAlways(where) ? rows : andAlso(rows, { kind: 'exists', relation, where });
}

/** The language of the words of a search, for a request in another language than that of the fields. */
function languageOf({ language, fields }: Search, tag: string | undefined): Language {
  return fields.find(({ translation }) => tag !== undefined && translation?.tag === tag)?.language ?? language;
}

function rejected(message: string, hint: string): ApiError {
  return new ApiError('PGRST127', message, { hint });
}
