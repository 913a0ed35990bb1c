/**
 * Which rows match a query, and how well. The statistics are those of the rows that the caller may read and that
 * contain a word of the query, so a score reveals nothing about other rows. Both engines share this code, so they
 * agree on every score.
 */
import type { Term, WordQuery } from '../../text/words/query.ts';
import type { Match, Matches } from './matches.ts';
import { type Steps, takeInSlices } from './steps.ts';

/** BM25 (S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework", 2009), for each field by itself. */
const SATURATION = 2;
const LENGTH_NORMALIZATION = 0.8;
const SCALE = 1_000;
/** A field that consists of the words of the query, such as a code typed in whole, comes first. */
const WHOLE_FIELD = 500_000_000;
/** The share that a neighbour in the same order adds to the score of a word. */
const NEIGHBOUR = 0.25;
/** A longer query is a question. If fewer rows have all of its words, any of them will do. */
const LONGEST_CONJUNCTION = 3;
const ENOUGH_ROWS = 10;

export interface Scoring {
  readonly query: WordQuery;
  readonly matchesOf: (word: string) => Matches;
  readonly weightOf: (field: number) => number;
}

export function* scoreRows(scoring: Scoring, needsAll: boolean): Steps<ReadonlyMap<number, number>> {
  const { groups } = scoring.query;
  const statistics = yield* statisticsOf(scoring);
  const scores = new Map<number, number>();
  for (const terms of groups) {
    yield* takeInSlices(yield* documentsOf(terms, scoring, needsAll), (document) => {
      const score = Math.round(scoreOf(document, terms, scoring, statistics));
      scores.set(document, Math.max(1, score, scores.get(document) ?? 0));
    });
  }
  return scores;
}

interface Statistics {
  /** The weight of a word: a rare one says more. */
  readonly rarityOf: ReadonlyMap<string, number>;
  /** The average length of each field with a hit. */
  readonly lengths: readonly number[];
}

function* statisticsOf({ query, matchesOf }: Scoring): Steps<Statistics> {
  const words = new Set(query.groups.flat().flatMap(wordsIn));
  const rows = new Set<number>();
  const totals: number[] = [];
  const counts: number[] = [];
  for (const word of words) {
    yield* takeInSlices(matchesOf(word), ([document, { hits }]) => {
      rows.add(document);
      eachField(hits, (field, length) => {
        totals[field] = (totals[field] ?? 0) + length;
        counts[field] = (counts[field] ?? 0) + 1;
      });
    });
  }
  const rarity = (word: string) => Math.log(1 + rows.size / Math.max(1, matchesOf(word).size));
  return {
    rarityOf: new Map([...words].map((word) => [word, rarity(word)])),
    lengths: totals.map((total, field) => total / counts[field]!),
  };
}

export function wordsIn({ words, whole }: Term): readonly string[] {
  return whole === undefined ? words : [...words, whole];
}

function* documentsOf(terms: readonly Term[], { matchesOf }: Scoring, needsAll: boolean): Steps<ReadonlySet<number>> {
  const required = terms.filter(({ isNegated }) => !isNegated);
  const excluded = terms.filter(({ isNegated }) => isNegated);
  if (required.length === 0) return new Set();
  const has = (document: number) => (term: Term) => hasTerm(document, term, matchesOf);
  const sources: ReadonlySet<number>[] = [];
  for (const term of required) {
    sources.push(yield* union(wordsIn(term).map((word) => matchesOf(word).keys())));
  }
  const isAllowed = (document: number) => !excluded.some(has(document));
  const rarest = sources.reduce((least, each) => (each.size < least.size ? each : least));
  const withAll = yield* union([rarest], (document) => required.every(has(document)) && isAllowed(document));
  const isShort = required.length <= LONGEST_CONJUNCTION;
  if (needsAll && (isShort || withAll.size >= ENOUGH_ROWS)) return withAll;
  return yield* union(sources, (document) => required.some(has(document)) && isAllowed(document));
}

function* union(
  lists: readonly Iterable<number>[],
  isWanted: (document: number) => boolean = () => true,
): Steps<ReadonlySet<number>> {
  const found = new Set<number>();
  for (const list of lists) {
    yield* takeInSlices(list, (document) => {
      if (!found.has(document) && isWanted(document)) found.add(document);
    });
  }
  return found;
}

function hasTerm(document: number, { words, isPhrase, whole }: Term, matchesOf: Scoring['matchesOf']): boolean {
  if (whole !== undefined && matchesOf(whole).has(document)) return true;
  const matches = words.map((word) => matchesOf(word).get(document));
  if (matches.includes(undefined)) return false;
  return !isPhrase || sequences(matches as Match[]).length > 0;
}

/** The fields and first positions at which words follow each other. */
function sequences(matches: readonly Match[]): readonly (readonly [field: number, position: number])[] {
  const [first, ...rest] = matches.map(({ hits }) => positionsOf(hits));
  return [...first!].flatMap(([field, positions]) =>
    [...positions]
      .filter((start) => rest.every((each, index) => each.get(field)?.has(start + index + 1)))
      .map((start): [number, number] => [field, start]),
  );
}

/** Whether a word follows another in a field. Without allocations, since it runs for every row that is found. */
function isFollowed(hits: readonly number[], others: readonly number[]): boolean {
  for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
    for (let other = 0; other < others.length; other += 3 + others[other + 2]!) {
      if (hits[at] !== others[other]) continue;
      let next = other + 3;
      const end = next + others[other + 2]!;
      for (let nth = at + 3; nth < at + 3 + hits[at + 2]!; nth++) {
        while (next < end && others[next]! <= hits[nth]!) next++;
        if (next < end && others[next] === hits[nth]! + 1) return true;
      }
    }
  }
  return false;
}

function positionsOf(hits: readonly number[]): ReadonlyMap<number, ReadonlySet<number>> {
  const found = new Map<number, Set<number>>();
  eachField(hits, (field, _length, count, at) => {
    const positions = found.get(field) ?? new Set();
    found.set(field, positions);
    for (let nth = 0; nth < count; nth++) positions.add(hits[at + nth]!);
  });
  return found;
}

function scoreOf(document: number, terms: readonly Term[], scoring: Scoring, statistics: Statistics): number {
  const { matchesOf, weightOf } = scoring;
  const required = terms.filter(({ isNegated }) => !isNegated);
  let score = 0;
  let previous: Match | undefined;
  for (const word of required.flatMap(wordsIn)) {
    const match = matchesOf(word).get(document);
    if (match !== undefined) {
      const part = ofWord(match, statistics, weightOf) * statistics.rarityOf.get(word)! * match.agreement;
      const follows = previous !== undefined && isFollowed(previous.hits, match.hits);
      score += SCALE * part * (follows ? 1 + NEIGHBOUR : 1);
    }
    previous = match;
  }
  return score + wholeField(document, required, scoring);
}

function ofWord({ hits }: Match, { lengths }: Statistics, weightOf: (field: number) => number): number {
  const counts: number[] = [];
  const sizes: number[] = [];
  eachField(hits, (field, length, count) => {
    counts[field] = (counts[field] ?? 0) + count;
    sizes[field] = length;
  });
  let sum = 0;
  counts.forEach((count, field) => {
    const length = 1 - LENGTH_NORMALIZATION + (LENGTH_NORMALIZATION * sizes[field]!) / lengths[field]!;
    sum += (weightOf(field) * count * (SATURATION + 1)) / (count + SATURATION * length);
  });
  return sum;
}

/** The bonus if the words of the query are all words of a field. */
function wholeField(document: number, required: readonly Term[], { matchesOf }: Scoring): number {
  const whole =
    required.length === 1 && required[0]!.whole !== undefined ? matchesOf(required[0]!.whole).get(document) : undefined;
  const words = required.flatMap((term) => term.words);
  const matches = words.map((word) => matchesOf(word).get(document));
  let best = 0;
  const consider = (some: readonly Match[], length: number) => {
    for (const [field, start] of sequences(some)) {
      eachField(some[0]!.hits, (each, size) => {
        if (each === field && start === 0 && size === length) {
          best = Math.max(best, Math.min(...some.map(({ agreement }) => agreement)));
        }
      });
    }
  };
  if (whole !== undefined) consider([whole], 1);
  if (!matches.includes(undefined)) consider(matches as Match[], words.length);
  // A word that is only a beginning is not the whole.
  return best === 0.6 ? 0 : WHOLE_FIELD * best;
}

function eachField(
  hits: readonly number[],
  take: (field: number, length: number, count: number, positionsAt: number) => void,
): void {
  for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) take(hits[at]!, hits[at + 1]!, hits[at + 2]!, at + 3);
}
