/** Finds the rows of a search: reads their words, corrects misspellings, scores rows, and marks the texts of a page. */
import { ApiError } from '../../base/errors.ts';
import { printJson } from '../../collection/types/json/json-text.ts';
import type { Ranking } from '../../plan/types.ts';
import type { Term } from '../../text/words/query.ts';
import { highlight } from './highlight.ts';
import type { RankJob } from './rank-job.ts';
import { scoreRows, wordsIn } from './score.ts';
import type { SearchRead } from './search-reads.ts';
import type { Steps } from './steps.ts';
import { Vocabulary } from './vocabulary.ts';

export function* rankRows(job: RankJob): Steps<Ranking, SearchRead> {
  const vocabulary = new Vocabulary(job);
  const scores = yield* findRows(vocabulary, job);
  const rows = bestRows(job, [...scores]);
  const completions = job.isCompleted ? yield* vocabulary.completions() : undefined;
  const columns = rows.map((row) => (completions === undefined ? row : [...row, null, completions.get(row[0]) ?? []]));
  return job.isHighlighted ? yield* withMarks(job, columns, vocabulary) : rankingOf(columns);
}

function* findRows(vocabulary: Vocabulary, { query, fields }: RankJob): Steps<ReadonlyMap<number, number>, SearchRead> {
  const terms = query.groups.flat();
  const words = [...new Set(terms.flatMap(wordsIn))];
  yield* vocabulary.read(words, query.prefix);
  const weights = Array.from({ length: 1 + Math.max(-1, ...fields.map(({ number }) => number)) }, () => 0);
  for (const { number, weight } of fields) weights[number] = weight;
  const { readHits } = vocabulary;
  const scoring = { query, weights, readHits, matchesOf: (word: string) => vocabulary.matchesOf(word) };
  const scores = yield* scoreRows(scoring, true);
  const isFound = ({ whole }: Term) => whole !== undefined && vocabulary.matchesOf(whole).size > 0;
  const wantedTerms = terms.filter((term) => !term.isNegated && !term.isPhrase && !isFound(term));
  const wanted = [...new Set(wantedTerms.flatMap((term) => term.words))];
  const unknown = wanted.filter((word) => vocabulary.matchesOf(word).size === 0);
  if (scores.size > 0 && unknown.length === 0) return scores;
  yield* vocabulary.correct(scores.size === 0 && unknown.length === 0 ? wanted : unknown);
  const corrected = yield* scoreRows(scoring, true);
  return corrected.size > 0 ? corrected : yield* scoreRows(scoring, false);
}

type RankedRow = readonly [document: number, score: number];

function bestRows({ best }: RankJob, rows: RankedRow[]): readonly RankedRow[] {
  if (best === undefined || rows.length <= best) return rows;
  const scores = Int32Array.from(rows, ([, score]) => score).sort();
  const least = scores[scores.length - Math.max(1, best)]!;
  return rows.filter(([, score]) => score >= least);
}

function rankingOf(rows: readonly (readonly unknown[])[]): Ranking {
  return { rows: JSON.stringify(rows) };
}

/** Reads the rows of the page and their texts. */
function* withMarks(
  { query, texts: all, needsAll }: RankJob,
  rows: readonly (readonly unknown[])[],
  vocabulary: Vocabulary,
): Steps<Ranking, SearchRead> {
  const page = yield { kind: 'page', ranking: rankingOf(rows) };
  const documents = new Set(page.map(({ document }) => Number(document)));
  const texts = yield { kind: 'texts', documents: [...documents] };
  const words = query.groups.flatMap((terms) => terms.filter(({ isNegated }) => !isNegated)).flatMap(wordsIn);
  const isSearched = (word: string) => vocabulary.isSearched(word, words);
  const marked = new Map(
    texts.map((row) => {
      const readable = all.flatMap(({ name }, field): [string, string][] => {
        const text = row[`t${field}`];
        const isShown = typeof text === 'string' && vocabulary.isReadable(Number(row.doc), field);
        const marks = isShown ? highlight(text, isSearched) : undefined;
        return marks === undefined ? [] : [[name, marks]];
      });
      return [Number(row.doc), printJson(Object.fromEntries(readable))];
    }),
  );
  const shown = needsAll ? rows : rows.filter(([document]) => documents.has(Number(document)));
  const columns = shown.map(([document, score, , words = []]) => {
    return [document, score, marked.get(Number(document)) ?? null, words];
  });
  return rankingOf(columns);
}

export function indexIncomplete(): ApiError {
  return new ApiError('CAT503', 'the search index is not complete yet', {
    details: 'Rows that changed are still being indexed.',
    hint: 'Try again in a moment.',
    headers: { 'retry-after': '5' },
  });
}
