/** The rows that contain a query word, as ascending numbers: a search may find most rows of a large collection. */
import { nameOfWord } from './index-tables.ts';
import { eachPosting, readHits } from './postings.ts';
import { type Pauses, type StepRow, takeInSlices } from './steps.ts';

interface MatchedChunk {
  readonly bytes: Uint8Array;
  /** How well its word agrees with the query word, from 0 to 1. */
  readonly agreement: number;
}

/** The chunks that are read before a pause. */
export const CHUNKS_BEFORE_PAUSE = 50;
/** Longer than a chunk: a place is a number of a chunk and a place in it. */
const CHUNK_PLACES = 2 ** 30;

export class Matches {
  readonly size: number;
  /** The index of the last row that was found: most callers ask in ascending order. */
  private cursor = 0;

  constructor(
    /** A row with several words for one query word occurs several times in succession. */
    readonly documents: Int32Array,
    private readonly places: Float64Array,
    private readonly chunks: readonly MatchedChunk[],
  ) {
    let size = 0;
    for (let at = 0; at < documents.length; at++) if (documents[at] !== documents[at - 1]) size++;
    this.size = size;
  }

  /** The first index of a row, or -1. */
  find(document: number): number {
    const { documents } = this;
    let low = documents[this.cursor]! <= document ? this.cursor : 0;
    // Doubles the distance, then halves it.
    let step = 1;
    while (documents[low + step]! < document) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, documents.length);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (documents[middle]! < document) low = middle + 1;
      else high = middle;
    }
    this.cursor = low < documents.length ? low : 0;
    return documents[low] === document ? low : -1;
  }

  has(document: number): boolean {
    return this.find(document) !== -1;
  }

  agreementAt(index: number): number {
    return this.chunkAt(index).agreement;
  }

  /** Replaces the content of `hits` by the hits of the row at an index. */
  readHits(index: number, hits: number[]): void {
    hits.length = 0;
    for (let at = index; this.documents[at] === this.documents[index]; at++) {
      readHits(this.chunkAt(at).bytes, this.places[at]! % CHUNK_PLACES, hits);
      if (at + 1 === this.documents.length) return;
    }
  }

  /** All rows of both. For a row in both, only the words that agree best count. */
  mergedWith(other: Matches): Matches {
    const [ours, theirs] = [this.documents, other.documents];
    const documents = new Int32Array(ours.length + theirs.length);
    const places = new Float64Array(documents.length);
    const offset = this.chunks.length * CHUNK_PLACES;
    let length = 0;
    let [one, two] = [0, 0];
    const takeOur = () => {
      documents[length] = ours[one]!;
      places[length++] = this.places[one++]!;
    };
    const takeTheir = () => {
      documents[length] = theirs[two]!;
      places[length++] = other.places[two++]! + offset;
    };
    while (one < ours.length && two < theirs.length) {
      if (ours[one]! < theirs[two]!) takeOur();
      else if (ours[one]! > theirs[two]!) takeTheir();
      else {
        const document = ours[one]!;
        const difference = this.agreementAt(one) - other.agreementAt(two);
        while (ours[one] === document) difference < 0 ? one++ : takeOur();
        while (theirs[two] === document) difference > 0 ? two++ : takeTheir();
      }
    }
    while (one < ours.length) takeOur();
    while (two < theirs.length) takeTheir();
    return new Matches(documents.slice(0, length), places.slice(0, length), [...this.chunks, ...other.chunks]);
  }

  private chunkAt(index: number): MatchedChunk {
    return this.chunks[Math.floor(this.places[index]! / CHUNK_PLACES)]!;
  }
}

export const NO_MATCHES = new Matches(new Int32Array(), new Float64Array(), []);

/** The rows in chunks of words, if they are wanted. `agreementOf` is undefined for words that are not. */
export function* matchesIn(
  rows: readonly StepRow[],
  agreementOf: (row: StepRow) => number | undefined,
  isWanted?: (document: number, bytes: Uint8Array, hitsAt: number) => boolean,
): Pauses<Matches> {
  const lists: Matches[] = [];
  // The numbers grow from chunk to chunk of a word.
  for (const chunks of Map.groupBy(rows, ({ stem, word }) => nameOfWord(stem, word)).values()) {
    const agreement = agreementOf(chunks[0]!);
    if (agreement === undefined) continue;
    const sorted = chunks.toSorted((one, other) => Number(one.chunk) - Number(other.chunk));
    const matched = sorted.map(({ docs }) => ({ bytes: docs as Uint8Array, agreement }));
    // A posting has two bytes at least.
    const most = matched.reduce((sum, { bytes }) => sum + bytes.length, 0) >> 1;
    const documents = new Int32Array(most);
    const places = new Float64Array(most);
    let length = 0;
    const take = ([nth, { bytes }]: readonly [number, MatchedChunk]) =>
      eachPosting(bytes, (document, hitsAt) => {
        if (isWanted !== undefined && !isWanted(document, bytes, hitsAt)) return;
        documents[length] = document;
        places[length++] = nth * CHUNK_PLACES + hitsAt;
      });
    yield* takeInSlices(matched.entries(), take, CHUNKS_BEFORE_PAUSE);
    if (length > 0) lists.push(new Matches(documents.slice(0, length), places.slice(0, length), matched));
  }
  return yield* mergeMatches(lists);
}

export function* mergeMatches(lists: readonly Matches[]): Pauses<Matches> {
  let rest = lists;
  while (rest.length > 1) {
    const merged: Matches[] = [];
    const mergePair = (at: number) => merged.push(rest[at + 1]?.mergedWith(rest[at]!) ?? rest[at]!);
    const pairs = Array.from({ length: Math.ceil(rest.length / 2) }, (_, pair) => 2 * pair);
    yield* takeInSlices(pairs, mergePair, 10);
    rest = merged;
  }
  return rest[0] ?? NO_MATCHES;
}
