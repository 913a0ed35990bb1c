/**
 * Derives a query of the search index from text filters. Every matching row satisfies it, and others may; the exact
 * test decides. Undefined if nothing can be derived (a negation, a word of two letters, a pattern without three
 * consecutive characters): then every row must be tested.
 */
import { unlessRejected } from '../../../base/errors.ts';
import {
  FEW_CANDIDATES,
  MAX_ALL_CANDIDATE_TRIGRAMS,
  MAX_CANDIDATE_DEPTH,
  MAX_CANDIDATE_QUERY,
  MAX_CANDIDATE_TRIGRAMS,
} from '../../../base/limits/engine.ts';
import { memoize } from '../../../base/memo.ts';
import type { Collection } from '../../../collection/declaration.ts';
import { conjuncts, namedField, type Predicate, type ReadPlan } from '../../../plan/types.ts';
import { parseSearch } from '../../../text/search/index.ts';
import { configurationNamed, readerFor } from '../../../text/search/lexemes.ts';
import type { Query } from '../../../text/search/query.ts';
import { maxKeys } from '../../shared/plan-keys.ts';
import type { Output } from '../../sql/output.ts';
import { compileRead } from '../../sql/read.ts';
import { buildStatement, identifier, type SqlDialect, type TextPredicate } from '../../sql/statement.ts';
import { guardedDialect } from '../dialect.ts';
import { literalsOf } from '../functions/like.ts';
import type { ReadAttempt } from '../read-threads/reader.ts';
import { candidateRows, indexedForm, isIndexed } from './search-index.ts';

/** A condition on the indexed texts: a trigram, or all or some of several conditions. */
type Condition = string | { readonly kind: 'all' | 'any'; readonly terms: readonly Condition[] };
type Derived = Condition | undefined;

/** In FTS5 syntax (https://www.sqlite.org/fts5.html, section 3). Cached per predicate. */
export function candidateQuery(collection: Collection, predicate: Predicate): string | undefined {
  // The service's own tables have no index.
  if (collection.name.startsWith('catalogue_')) return undefined;
  // Rows selected by key are already few.
  if (maxKeys(collection, conjuncts(predicate)) !== undefined) return undefined;
  return queriesOf(collection)(predicate);
}

const queriesOf = memoize((collection: Collection) =>
  memoize((predicate: Predicate) => {
    const condition = ofPredicate(collection, predicate);
    if (condition === undefined || depthOf(condition) > MAX_CANDIDATE_DEPTH) return undefined;
    if (trigramsIn(condition) > MAX_ALL_CANDIDATE_TRIGRAMS) return undefined;
    const query = print(condition);
    return query.length > MAX_CANDIDATE_QUERY ? undefined : query;
  }),
);

function ofPredicate(collection: Collection, predicate: Predicate): Derived {
  switch (predicate.kind) {
    case 'all':
      return all(predicate.terms, (term) => ofPredicate(collection, term));
    case 'any':
      return any(predicate.terms, (term) => ofPredicate(collection, term));
    case 'search':
    case 'like':
    case 'regex':
      return isIndexed(collection, namedField(predicate.of)) ? ofTextTest(predicate) : undefined;
    default:
      return undefined;
  }
}

/**
 * An expression of plain text with optional anchors. Excludes other scripts, since RE2 folds some Greek letters
 * differently.
 */
const PLAIN_TEXT = /^\^?([a-z0-9 ]+)\$?$/i;

function ofTextTest(predicate: TextPredicate): Derived {
  if (predicate.kind === 'search') {
    const { mode, config, query } = predicate;
    if (query.length > MAX_CANDIDATE_QUERY) return undefined;
    // Compiling the read rejects an invalid search, so that the first of several errors is reported.
    const tree = unlessRejected(() => parseSearch(mode, query, readerFor(config))) ?? null;
    return tree === null ? undefined : ofSearch(tree, configurationNamed(config).startOfTokens);
  }
  const { kind, pattern } = predicate;
  if (pattern.length > MAX_CANDIDATE_QUERY) return undefined;
  return kind === 'like' ? all(literalsOf(pattern), containing) : containing(PLAIN_TEXT.exec(pattern)?.[1] ?? '');
}

/** A phrase also requires all its parts. */
function ofSearch(query: Query, startOfTokens: (lexeme: string) => string): Derived {
  switch (query.kind) {
    case 'lexeme':
      return containing(startOfTokens(query.text));
    case 'and':
    case 'phrase':
      return all([query.left, query.right], (part) => ofSearch(part, startOfTokens));
    case 'or':
      return any([query.left, query.right], (part) => ofSearch(part, startOfTokens));
    case 'not':
      return undefined;
  }
}

/** A text contains all of its trigrams. The index stores no positions, so nothing more is required. */
function containing(text: string): Derived {
  const characters = [...indexedForm(text)];
  const trigrams = new Set<string>();
  for (let at = 0; at + 3 <= characters.length && trigrams.size < MAX_CANDIDATE_TRIGRAMS; at++) {
    trigrams.add(characters.slice(at, at + 3).join(''));
  }
  return all([...trigrams], (trigram) => trigram);
}

/** Some of several required conditions are enough. */
function all<Part>(parts: readonly Part[], derive: (part: Part) => Derived): Derived {
  const terms: Condition[] = [];
  for (const part of parts) {
    if (terms.length >= MAX_ALL_CANDIDATE_TRIGRAMS) break;
    const condition = derive(part);
    if (condition !== undefined) terms.push(...termsOf('all', condition));
  }
  return joined('all', terms.slice(0, MAX_ALL_CANDIDATE_TRIGRAMS));
}

/** Nothing can be derived if one alternative gives nothing, or if there are too many. */
function any<Part>(parts: readonly Part[], derive: (part: Part) => Derived): Derived {
  const terms: Condition[] = [];
  let trigrams = 0;
  for (const part of parts) {
    const condition = derive(part);
    if (condition === undefined) return undefined;
    trigrams += trigramsIn(condition);
    if (trigrams > MAX_ALL_CANDIDATE_TRIGRAMS) return undefined;
    terms.push(...termsOf('any', condition));
  }
  return joined('any', terms);
}

/** Flattened, since FTS5 limits nested parentheses. */
function termsOf(kind: 'all' | 'any', condition: Condition): readonly Condition[] {
  return typeof condition !== 'string' && condition.kind === kind ? condition.terms : [condition];
}

function joined(kind: 'all' | 'any', terms: readonly Condition[]): Derived {
  return terms.length < 2 ? terms[0] : { kind, terms };
}

function trigramsIn(condition: Condition): number {
  return typeof condition === 'string' ? 1 : condition.terms.reduce((sum, term) => sum + trigramsIn(term), 0);
}

function depthOf(condition: Condition): number {
  return typeof condition === 'string' ? 0 : 1 + Math.max(...condition.terms.map(depthOf));
}

function print(condition: Condition): string {
  if (typeof condition === 'string') return `"${condition.replaceAll('"', '""')}"`;
  return `(${condition.terms.map(print).join(condition.kind === 'all' ? ' AND ' : ' OR ')})`;
}

/** For statements with a time limit: uses candidates if they can be derived, otherwise all rows. */
export function prefilterDialect(collection: Collection): SqlDialect {
  return {
    ...guardedDialect,
    prefilter(predicate, name, bind) {
      const query = candidateQuery(collection, predicate);
      if (query === undefined) return undefined;
      return `${identifier(name)}._rowid_ in (${candidateRows(collection, query, bind)})`;
    },
  };
}

/**
 * Reads the candidates; undefined if none can be derived. They come in row id order; any other order sorts them all.
 * With many candidates, following the right index until the page is full is faster.
 */
export function compilePrefiltered(plan: ReadPlan, output: Output): ReadAttempt | undefined {
  const { from, where, limit, groupBy } = plan;
  const query = candidateQuery(from, where);
  if (query === undefined) return undefined;
  const statement = compileRead(plan, output, prefilterDialect(from));
  if (limit === undefined || groupBy !== undefined) return { statement };
  const isBetter = buildStatement(guardedDialect, (bind) => {
    const some = `select 1 from (${candidateRows(from, query, bind)}) limit ${FEW_CANDIDATES + 1}`;
    return `select count(*) <= ${FEW_CANDIDATES} from (${some})`;
  });
  return { statement, isBetter };
}
