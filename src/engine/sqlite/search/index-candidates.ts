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

/** A condition on the indexed texts in FTS5 syntax, in which AND binds more strongly than OR. */
interface Condition {
  readonly query: string;
  readonly kind: 'all' | 'any';
  readonly trigrams: number;
  /** The depth of parentheses. */
  readonly depth: number;
}

/** In FTS5 syntax (https://www.sqlite.org/fts5.html, section 3). Cached for each predicate. */
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
    const isUsable =
      condition && condition.depth <= MAX_CANDIDATE_DEPTH && condition.query.length <= MAX_CANDIDATE_QUERY;
    return isUsable ? condition.query : undefined;
  }),
);

function ofPredicate(collection: Collection, predicate: Predicate): Condition | undefined {
  switch (predicate.kind) {
    case 'all':
    case 'any':
      return combine(predicate.kind, predicate.terms, (term) => ofPredicate(collection, term));
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

function ofTextTest(predicate: TextPredicate): Condition | undefined {
  if (predicate.kind === 'search') {
    const { mode, config, query } = predicate;
    if (query.length > MAX_CANDIDATE_QUERY) return undefined;
    // Compiling the read rejects an invalid search, so that the first of several errors is reported.
    const tree = unlessRejected(() => parseSearch(mode, query, readerFor(config))) ?? null;
    return tree === null ? undefined : ofSearch(tree, configurationNamed(config).startOfTokens);
  }
  const { kind, pattern } = predicate;
  if (pattern.length > MAX_CANDIDATE_QUERY) return undefined;
  return kind === 'like'
    ? combine('all', literalsOf(pattern), containing)
    : containing(PLAIN_TEXT.exec(pattern)?.[1] ?? '');
}

/** A phrase also requires all its parts. */
function ofSearch(query: Query, startOfTokens: (lexeme: string) => string): Condition | undefined {
  switch (query.kind) {
    case 'lexeme':
      return containing(startOfTokens(query.text));
    case 'and':
    case 'phrase':
    case 'or':
      return combine(query.kind === 'or' ? 'any' : 'all', [query.left, query.right], (part) =>
        ofSearch(part, startOfTokens),
      );
    case 'not':
      return undefined;
  }
}

/** A text contains all of its trigrams. The index stores no positions, so nothing more is required. */
function containing(text: string): Condition | undefined {
  const characters = [...indexedForm(text)];
  const trigrams = new Set<string>();
  for (let at = 0; at + 3 <= characters.length && trigrams.size < MAX_CANDIDATE_TRIGRAMS; at++) {
    trigrams.add(
      characters
        .slice(at, at + 3)
        .join('')
        .replaceAll('"', '""'),
    );
  }
  return combine('all', [...trigrams], (each) => ({ query: `"${each}"`, kind: 'all', trigrams: 1, depth: 0 }));
}

/** Some of several required conditions are enough. Of alternatives, each must give one. */
function combine<Part>(
  kind: Condition['kind'],
  parts: readonly Part[],
  derive: (part: Part) => Condition | undefined,
): Condition | undefined {
  const terms: Condition[] = [];
  let trigrams = 0;
  for (const part of parts) {
    const condition = trigrams < MAX_ALL_CANDIDATE_TRIGRAMS ? derive(part) : undefined;
    const isUsable = condition !== undefined && trigrams + condition.trigrams <= MAX_ALL_CANDIDATE_TRIGRAMS;
    if (!isUsable && kind === 'any') return undefined;
    if (!isUsable) continue;
    terms.push(condition);
    trigrams += condition.trigrams;
  }
  if (terms.length < 2) return terms[0];
  const isNested = (term: Condition) => kind === 'all' && term.kind === 'any';
  const query = terms.map((term) => (isNested(term) ? `(${term.query})` : term.query));
  const depth = Math.max(...terms.map((term) => term.depth + Number(isNested(term))));
  return { query: query.join(kind === 'all' ? ' AND ' : ' OR '), kind, trigrams, depth };
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
