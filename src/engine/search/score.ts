/**
 * Which rows match a query, and how well. The statistics are those of the rows that the caller may read and that
 * contain a word of the query, so a score reveals nothing about other rows. Both engines share this code, so they
 * agree on every score.
 */
import type { Term, WordQuery } from '../../text/words/query.ts';
import { type Matches, mergeMatches } from './matches.ts';
import { isAt, isFollowed, isSequence } from './postings.ts';
import { type Pauses, takeInSlices } from './steps.ts';
import { OF_PREFIX } from './vocabulary.ts';

/** BM25 (S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework", 2009), for each field by itself. */
const SATURATION = 1.2;
const LENGTH_NORMALIZATION = 0.75;
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
  /** The weight of each field by its number; 0 if it is not searched. */
  readonly weights: readonly number[];
  readonly matchesOf: (word: string) => Matches;
  readonly readHits: (matches: Matches, index: number, hits: number[]) => void;
}

export function wordsIn({ words, whole }: Term): readonly string[] {
  return whole === undefined ? words : [...words, whole];
}

export function* scoreRows(scoring: Scoring, needsAll: boolean): Pauses<ReadonlyMap<number, number>> {
  const { query, matchesOf } = scoring;
  const words = [...new Set(query.groups.flat().flatMap(wordsIn))];
  const { size } = yield* mergeMatches(words.map(matchesOf));
  const rarityOf = (word: string) => Math.log(1 + size / Math.max(1, matchesOf(word).size));
  const groups: { readonly group: Group; readonly documents: readonly number[] }[] = [];
  for (const terms of query.groups) {
    const group = new Group(terms, scoring, rarityOf);
    groups.push({ group, documents: yield* documentsOf(terms, scoring, needsAll) });
  }
  const lengths = new FieldLengths(scoring.weights.length);
  for (const { group, documents } of groups) {
    yield* takeInSlices(documents, (document) => group.addLengths(document, lengths));
  }
  const averages = lengths.averages();
  const scores = new Map<number, number>();
  for (const { group, documents } of groups) {
    yield* takeInSlices(documents, (document) => {
      const score = Math.round(group.scoreOf(document, averages));
      scores.set(document, Math.max(1, score, groups.length > 1 ? (scores.get(document) ?? 0) : 0));
    });
  }
  return scores;
}

function* documentsOf(terms: readonly Term[], scoring: Scoring, needsAll: boolean): Pauses<readonly number[]> {
  const required = terms.filter(({ isNegated }) => !isNegated);
  const excluded = terms.filter(({ isNegated }) => isNegated);
  if (required.length === 0) return [];
  const scratch: number[][] = [];
  const has = (document: number) => (term: Term) => hasTerm(document, term, scoring, scratch);
  const sources: Matches[] = [];
  for (const term of required) sources.push(yield* mergeMatches(wordsIn(term).map(scoring.matchesOf)));
  const isAllowed = (document: number) => excluded.length === 0 || !excluded.some(has(document));
  const rarest = sources.reduce((least, each) => (each.size < least.size ? each : least));
  const withAll = yield* filter(rarest, (document) => required.every(has(document)) && isAllowed(document));
  const isShort = required.length <= LONGEST_CONJUNCTION;
  if (needsAll && (isShort || withAll.length >= ENOUGH_ROWS)) return withAll;
  const any = yield* mergeMatches(sources);
  return yield* filter(any, (document) => required.some(has(document)) && isAllowed(document));
}

function* filter({ documents }: Matches, isWanted: (document: number) => boolean): Pauses<readonly number[]> {
  const found: number[] = [];
  let last = 0;
  yield* takeInSlices(documents, (document) => {
    if (document !== last && isWanted(document)) found.push(document);
    last = document;
  });
  return found;
}

function hasTerm(document: number, term: Term, { matchesOf, readHits }: Scoring, scratch: number[][]): boolean {
  const { words, isPhrase, whole } = term;
  if (whole !== undefined && matchesOf(whole).has(document)) return true;
  if (!isPhrase) return words.every((word) => matchesOf(word).has(document));
  for (const [nth, word] of words.entries()) {
    const index = matchesOf(word).find(document);
    if (index === -1) return false;
    scratch[nth] ??= [];
    readHits(matchesOf(word), index, scratch[nth]);
  }
  return isSequence(scratch.slice(0, words.length));
}

/** The average length of each field with a hit. */
class FieldLengths {
  private readonly totals: number[];
  private readonly counts: number[];

  constructor(fields: number) {
    this.totals = Array.from({ length: fields }, () => 0);
    this.counts = [...this.totals];
  }

  add(hits: readonly number[]): void {
    for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
      this.totals[hits[at]!]! += hits[at + 1]!;
      this.counts[hits[at]!]! += 1;
    }
  }

  averages(): readonly number[] {
    return this.totals.map((total, field) => total / this.counts[field]!);
  }
}

interface GroupWord {
  readonly matches: Matches;
  /** A rare word says more. */
  readonly rarity: number;
  /** The values of the current row. */
  readonly hits: number[];
  agreement: number;
}

/** The words that a row of one alternative has. Without allocations for each row, since there may be many. */
class Group {
  private readonly words: readonly GroupWord[];
  /** Words that may be all words of a field, in order. */
  private readonly wholes: readonly (readonly GroupWord[])[];
  private readonly counts: number[];
  private readonly sizes: number[];

  constructor(
    terms: readonly Term[],
    private readonly scoring: Scoring,
    rarityOf: (word: string) => number,
  ) {
    const required = terms.filter(({ isNegated }) => !isNegated);
    const parts: GroupWord[] = [];
    const codes: GroupWord[] = [];
    this.words = required.flatMap(({ words, whole }) => {
      const groupWord = (word: string) => ({
        matches: scoring.matchesOf(word),
        rarity: rarityOf(word),
        hits: [],
        agreement: 0,
      });
      const own = words.map(groupWord);
      parts.push(...own);
      if (whole === undefined) return own;
      codes.push(groupWord(whole));
      return [...own, codes.at(-1)!];
    });
    this.wholes = required.length === 1 && codes.length === 1 ? [codes, parts] : [parts];
    this.counts = scoring.weights.map(() => 0);
    this.sizes = [...this.counts];
  }

  addLengths(document: number, lengths: FieldLengths): void {
    this.readRow(document);
    for (const { hits } of this.words) lengths.add(hits);
  }

  scoreOf(document: number, averages: readonly number[]): number {
    this.readRow(document);
    let score = 0;
    let previous: readonly number[] = [];
    for (const { hits, rarity, agreement } of this.words) {
      if (hits.length > 0) {
        const part = this.ofHits(hits, averages) * rarity * agreement;
        score += SCALE * part * (isFollowed(previous, hits) ? 1 + NEIGHBOUR : 1);
      }
      previous = hits;
    }
    // Less than for the whole of a field, so that the sum has four bytes.
    return Math.min(score, WHOLE_FIELD - 1) + this.ofWholeField();
  }

  private readRow(document: number): void {
    for (const word of this.words) {
      const index = word.matches.find(document);
      if (index === -1) word.hits.length = 0;
      else {
        this.scoring.readHits(word.matches, index, word.hits);
        word.agreement = word.matches.agreementAt(index);
      }
    }
  }

  private ofHits(hits: readonly number[], averages: readonly number[]): number {
    const { counts, sizes } = this;
    counts.fill(0);
    sizes.fill(0);
    for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
      const field = hits[at]!;
      counts[field]! += hits[at + 2]!;
      sizes[field] = Math.max(sizes[field]!, hits[at + 1]!);
    }
    let sum = 0;
    for (let field = 0; field < counts.length; field++) {
      const count = counts[field]!;
      if (count === 0) continue;
      const length = 1 - LENGTH_NORMALIZATION + (LENGTH_NORMALIZATION * sizes[field]!) / averages[field]!;
      sum += (this.scoring.weights[field]! * count * (SATURATION + 1)) / (count + SATURATION * length);
    }
    return sum;
  }

  /** The bonus if the words of the query are all words of a field. */
  private ofWholeField(): number {
    let best = 0;
    for (const words of this.wholes) {
      const [{ hits }] = words as [GroupWord];
      for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
        if (hits[at + 1] !== words.length || hits[at + 3] !== 0) continue;
        if (!words.every((word, nth) => isAt(word.hits, hits[at]!, nth))) continue;
        const agreements = words.map(({ agreement }) => agreement);
        best = Math.max(best, Math.min(1, ...agreements));
      }
    }
    // A word that is only a beginning is not the whole.
    return best === OF_PREFIX ? 0 : WHOLE_FIELD * best;
  }
}
