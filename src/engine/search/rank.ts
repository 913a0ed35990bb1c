/** Finds the rows of a search: reads their words, corrects misspellings, scores rows, and marks the texts of a page. */
import { ApiError } from '../../base/errors.ts';
import { DOCUMENT, SCORE } from '../../collection/search-fields.ts';
import { fieldExpression } from '../../plan/resolve.ts';
import type { Ranking, ReadPlan, SearchPlan } from '../../plan/types.ts';
import { fieldOf, isAlways } from '../../plan/types.ts';
import { compileRead } from '../sql/read.ts';
import { buildStatement, identifier, type SqlDialect } from '../sql/statement.ts';
import { highlight } from './highlight.ts';
import { joinReferences, textColumns } from './index-rows.ts';
import type { WordIndex } from './index-tables.ts';
import { scoreRows, wordsIn } from './score.ts';
import type { Steps } from './steps.ts';
import { Vocabulary } from './vocabulary.ts';

/** Replaces the search of a plan by its rows. */
export function* rankRows(dialect: SqlDialect, index: WordIndex, plan: ReadPlan): Steps<ReadPlan> {
  const { search, ...rest } = plan;
  const vocabulary = new Vocabulary(dialect, index, search!);
  const scores = yield* findRows(vocabulary, search!);
  const rows = bestRows(plan, [...scores]);
  const completions = search!.isCompleted ? yield* vocabulary.completions() : undefined;
  const columns = rows.map((row) => (completions === undefined ? row : [...row, null, completions.get(row[0]) ?? []]));
  const ranked = { ...rest, ranking: rankingOf(columns) };
  return search!.isHighlighted ? yield* withMarks(dialect, index, ranked, columns, vocabulary, search!) : ranked;
}

function* findRows(vocabulary: Vocabulary, { query, fields }: SearchPlan): Steps<ReadonlyMap<number, number>> {
  const terms = query.groups.flat();
  const words = [...new Set(terms.flatMap(wordsIn))];
  yield* vocabulary.read(words, query.prefix);
  const weights = Array.from({ length: 1 + Math.max(-1, ...fields.map(({ number }) => number)) }, () => 0);
  for (const { number, weight } of fields) weights[number] = weight;
  const { readHits } = vocabulary;
  const scoring = { query, weights, readHits, matchesOf: (word: string) => vocabulary.matchesOf(word) };
  const scores = yield* scoreRows(scoring, true);
  const wanted = [
    ...new Set(terms.filter(({ isNegated, isPhrase }) => !isNegated && !isPhrase).flatMap((term) => term.words)),
  ];
  const unknown = wanted.filter((word) => vocabulary.matchesOf(word).size === 0);
  if (scores.size > 0 && unknown.length === 0) return scores;
  yield* vocabulary.correct(scores.size === 0 && unknown.length === 0 ? wanted : unknown);
  const corrected = yield* scoreRows(scoring, true);
  return corrected.size > 0 ? corrected : yield* scoreRows(scoring, false);
}

type RankedRow = readonly [document: number, score: number];

/** Only the rows of the page, with all that share the last score, if nothing else selects or orders them. */
function bestRows(plan: ReadPlan, rows: RankedRow[]): readonly RankedRow[] {
  const { where, order, limit, offset, count, groupBy, facets } = plan;
  const isByScore = order[0]?.descending === true && fieldOf(order[0].expression) === SCORE;
  const isList = count === undefined && groupBy === undefined && facets === undefined && isAlways(where);
  if (limit === undefined || !isList || !isByScore || rows.length <= offset + limit) return rows;
  const scores = Int32Array.from(rows, ([, score]) => score).sort();
  const least = scores[scores.length - Math.max(1, offset + limit)]!;
  return rows.filter(([, score]) => score >= least);
}

function rankingOf(rows: readonly (readonly unknown[])[]): Ranking {
  return { rows: JSON.stringify(rows) };
}

/** The order of members in PostgreSQL's jsonb: by length, then by bytes. */
function byMember([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return Buffer.byteLength(one) - Buffer.byteLength(other) || Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Reads the rows of the page and their texts. */
function* withMarks(
  dialect: SqlDialect,
  index: WordIndex,
  plan: ReadPlan,
  rows: readonly (readonly unknown[])[],
  vocabulary: Vocabulary,
  { query }: SearchPlan,
): Steps<ReadPlan> {
  const numbers = [{ name: 'document', expression: fieldExpression(DOCUMENT) }];
  const page = yield compileRead({ ...plan, columns: numbers }, { form: 'plain', stripNulls: false }, dialect);
  const documents = new Set(page.map(({ document }) => Number(document)));
  const texts = yield buildStatement(dialect, (bind) => {
    const list = dialect.jsonRows(bind(JSON.stringify([...documents].map((each) => [each]))), ['number']);
    return `select d.doc, ${textColumns(dialect, index)} from ${list} as l join ${index.documents} as d on d.doc = c0
      join ${identifier(index.collection.name)} as r on ${index.sameKey('r', 'd')}${joinReferences(index)}`;
  });
  const words = query.groups.flatMap((terms) => terms.filter(({ isNegated }) => !isNegated)).flatMap(wordsIn);
  const isSearched = (word: string) => vocabulary.isSearched(word, words, query.prefix);
  const marked = new Map(
    texts.map((row) => {
      const readable = index.fields.flatMap(({ name }, field): [string, string][] => {
        const text = row[`t${field}`];
        const isShown = typeof text === 'string' && vocabulary.isReadable(Number(row.doc), field);
        const marks = isShown ? highlight(text, isSearched) : undefined;
        return marks === undefined ? [] : [[name, marks]];
      });
      return [Number(row.doc), JSON.stringify(Object.fromEntries(readable.sort(byMember)))];
    }),
  );
  const all = rows.filter(([document]) => documents.has(Number(document)));
  // Counts need all rows.
  const shown = plan.count === undefined && plan.facets === undefined ? all : rows;
  const columns = shown.map(([document, score, , words = []]) => {
    return [document, score, marked.get(Number(document)) ?? null, words];
  });
  return { ...plan, ranking: rankingOf(columns) };
}

export function indexIncomplete(): ApiError {
  return new ApiError('CAT503', 'the search index is not complete yet', {
    details: 'Rows that changed are still being indexed.',
    hint: 'Try again in a moment.',
    headers: { 'retry-after': '5' },
  });
}
