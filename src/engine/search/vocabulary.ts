/** The rows that contain the words of a query, without rows and fields that the caller may not read. */
import { compareText } from '../../collection/types/compare.ts';
import { nearWords, patternsOfNear } from '../../text/words/edit-distance.ts';
import { type Language, spellingsOf, stemOf } from '../../text/words/languages.ts';
import { isCode } from '../../text/words/tokens.ts';
import { LAST_CHUNK, UNUSED, withoutDefinition } from './index-tables.ts';
import { CHUNKS_BEFORE_PAUSE, type Matches, matchesIn, mergeMatches, NO_MATCHES } from './matches.ts';
import { NumberSet } from './number-set.ts';
import { eachPosting, readHits } from './postings.ts';
import type { RankJob } from './rank-job.ts';
import type { SearchRead } from './search-reads.ts';
import { type Pauses, type StepRow, type Steps, takeInSlices } from './steps.ts';
import { eachRecent } from './store-words.ts';

const OF_STEM = 1;
export const OF_PREFIX = 0.6;
const OF_EDITS = [1, 0.5, 0.3] as const;

export class Vocabulary {
  private readonly found = new Map<string, Matches>();
  /** The stems that stand for a query word: its own, and those of corrections. */
  private readonly stems = new Map<string, Map<string, number>>();
  /** The numbers of rows that are visible, by predicate. */
  private readonly visible: readonly Map<number, boolean>[];
  private readonly unused = new NumberSet();
  private readonly languages: ReadonlySet<Language>;
  private readonly definition: string;
  private readonly fields: RankJob['fields'];
  /** Whether the caller may read all searched texts. */
  private readonly isComplete: boolean;
  private prefixes: readonly string[] = [];
  private ofPrefixRows: readonly StepRow[] = [];
  private readonly scratch: number[] = [];

  constructor({ definition, texts, fields, predicates }: RankJob) {
    this.definition = definition;
    this.languages = new Set(fields.map(({ number }) => texts[number]!.language));
    this.fields = fields;
    this.visible = Array.from({ length: predicates }, () => new Map());
    this.isComplete = fields.length === texts.length && predicates === 0;
  }

  matchesOf(word: string): Matches {
    return this.found.get(word) ?? NO_MATCHES;
  }

  /** Whether a word of a text was searched for, for highlights. */
  isSearched(word: string, words: readonly string[]): boolean {
    const stems = this.stemsOf(word);
    const isStem = (each: string) => stems.some((stem) => this.stems.get(each)?.has(stem));
    return this.prefixes.some((prefix) => word.startsWith(prefix)) || words.some(isStem);
  }

  isReadable(document: number, field: number): boolean {
    const readable = this.fields.find((each) => each.number === field);
    if (readable === undefined) return false;
    return readable.rows === undefined || this.visible[readable.rows]!.get(document) === true;
  }

  /** Reads the rows of the words, and of words that begin with the prefix. */
  *read(words: readonly string[], prefix: string | undefined): Steps<void, SearchRead> {
    const stems = new Set([UNUSED, ...words.flatMap((word) => this.stemsOf(word))]);
    const ofStems = yield* this.chunksOf({ kind: 'stems', stems: [...stems] }, (stem) => stems.has(stem));
    const ofNoWord = ofStems.filter(({ word }) => word === UNUSED);
    const unused = withoutDefinition(ofNoWord, this.definition);
    const used = ofStems.filter(({ word }) => word !== UNUSED);
    yield* eachChunk(unused, ({ docs }) => eachPosting(docs as Uint8Array, (document) => this.unused.add(document)));
    if (prefix !== undefined) this.prefixes = this.spellingsOf(prefix);
    const ofPrefix: StepRow[] = [];
    for (const prefix of this.prefixes) {
      ofPrefix.push(...(yield* this.chunksOf({ kind: 'prefix', prefix }, (_, word) => word.startsWith(prefix))));
    }
    this.ofPrefixRows = ofPrefix;
    yield* this.readVisible([...used, ...ofPrefix]);
    for (const word of words) {
      const own = new Map(this.stemsOf(word).map((stem) => [stem, OF_STEM]));
      this.stems.set(word, own);
      this.found.set(word, yield* this.matchesIn(used, ({ stem }) => own.get(String(stem))));
    }
    if (prefix === undefined) return;
    const own = this.stemsOf(prefix);
    yield* this.add(prefix, ofPrefix, ({ stem }) => (own.includes(String(stem)) ? undefined : OF_PREFIX));
  }

  /** The chunks of words, also those of recent ones. */
  private *chunksOf(
    read: SearchRead,
    isWanted: (stem: string, word: string) => boolean,
  ): Steps<readonly StepRow[], SearchRead> {
    const chunks: StepRow[] = [];
    yield* eachChunk(yield read, (row) => {
      if (row.stem !== null) return void chunks.push(row);
      const chunk = LAST_CHUNK + Number(row.chunk);
      const add = (stem: string, word: string, docs: Uint8Array) => chunks.push({ stem, word, chunk, docs });
      eachRecent(row.word, row.docs, add, isWanted);
    });
    return chunks;
  }

  private stemsOf(word: string): readonly string[] {
    return [...new Set([...this.languages].map((language) => stemOf(language, word)))];
  }

  /** None begins with another. */
  private spellingsOf(prefix: string): readonly string[] {
    const all = [...new Set([...this.languages].flatMap((language) => spellingsOf(language, prefix)))];
    return all.filter((each) => !all.some((other) => other !== each && each.startsWith(other)));
  }

  /** The words with the prefix in each row, in ascending order: that of the index depends on hidden rows. */
  *completions(): Pauses<ReadonlyMap<number, readonly string[]>> {
    const found = new Map<number, string[]>();
    const add = (word: string) => (document: number, bytes: Uint8Array, hitsAt: number) => {
      if (!this.isFound(document, bytes, hitsAt)) return;
      const words = found.get(document);
      if (words === undefined) found.set(document, [word]);
      else if (!words.includes(word)) words.push(word);
    };
    yield* eachChunk(this.ofPrefixRows, ({ word, docs }) => {
      const bytes = docs as Uint8Array;
      const take = add(String(word));
      eachPosting(bytes, (document, hitsAt) => take(document, bytes, hitsAt));
    });
    for (const words of found.values()) words.sort(compareText);
    return found;
  }

  /** Adds rows with words that differ from these by a misspelling. */
  *correct(words: readonly string[]): Steps<void, SearchRead> {
    const nearOf = new Map<string, ReadonlyMap<string, number>>();
    const stems = new Set<string>();
    for (const word of words.filter((each) => !isCode(each))) {
      const patterns = patternsOfNear(word);
      if (patterns === undefined) continue;
      const similar = new Map<string, Set<string>>();
      yield* eachChunk(yield { kind: 'similar', near: patterns }, (row) => {
        // A stem and its word, or those of a group of recent words.
        const names = row.stem === null ? String(row.word).split('\n') : [String(row.stem), String(row.word)];
        for (let at = 1; at < names.length; at += 2) {
          const text = names[at]!;
          if (text.length < patterns.shortest || text.length > patterns.longest) continue;
          const known = similar.get(text);
          const stem = names[at - 1] || text;
          if (known === undefined) similar.set(text, new Set([stem]));
          else known.add(stem);
        }
      });
      const near = nearWords(word, similar.keys()).filter(({ text }) => !isCode(text));
      nearOf.set(word, new Map(near.map(({ text, edits }) => [text, OF_EDITS[edits]!])));
      for (const { text } of near) for (const stem of similar.get(text)!) stems.add(stem);
    }
    if (stems.size === 0) return;
    const rows = yield* this.chunksOf({ kind: 'stems', stems: [...stems] }, (stem) => stems.has(stem));
    yield* this.readVisible(rows);
    for (const [word, near] of nearOf) {
      const own = this.stems.get(word)!;
      const added = new Map<string, number>();
      yield* eachChunk(rows, (row) => {
        const stem = String(row.stem);
        const agreement = near.get(String(row.word)) ?? 0;
        // A word that the caller cannot read corrects nothing.
        if (agreement > (own.get(stem) ?? added.get(stem) ?? 0) && this.hasReadable(row)) added.set(stem, agreement);
      });
      yield* this.add(word, rows, ({ stem }) => added.get(String(stem)));
      for (const [stem, agreement] of added) own.set(stem, agreement);
    }
  }

  private *add(
    word: string,
    rows: readonly StepRow[],
    agreementOf: (row: StepRow) => number | undefined,
  ): Pauses<void> {
    const more = yield* this.matchesIn(rows, agreementOf);
    this.found.set(word, yield* mergeMatches([this.matchesOf(word), more]));
  }

  private matchesIn(rows: readonly StepRow[], agreementOf: (row: StepRow) => number | undefined): Pauses<Matches> {
    const isAny = this.isComplete && this.unused.size === 0;
    return matchesIn(rows, agreementOf, isAny ? undefined : this.isFound);
  }

  /** Whether a row exists and the caller may read a field with a hit. */
  private readonly isFound = (document: number, bytes: Uint8Array, hitsAt: number): boolean => {
    if (this.unused.has(document)) return false;
    if (this.isComplete) return true;
    this.scratch.length = 0;
    readHits(bytes, hitsAt, this.scratch);
    this.keepReadable(document, this.scratch);
    return this.scratch.length > 0;
  };

  /** Replaces the content of `hits` by the hits of a row that the caller may read. */
  readonly readHits = (matches: Matches, index: number, hits: number[]): void => {
    matches.readHits(index, hits);
    if (!this.isComplete) this.keepReadable(matches.documents[index]!, hits);
  };

  private keepReadable(document: number, hits: number[]): void {
    let kept = 0;
    for (let at = 0, end = 0; at < hits.length; at = end) {
      end = at + 3 + hits[at + 2]!;
      if (!this.isReadable(document, hits[at]!)) continue;
      hits.copyWithin(kept, at, end);
      kept += end - at;
    }
    hits.length = kept;
  }

  private hasReadable({ docs }: StepRow): boolean {
    let isFound = false;
    const bytes = docs as Uint8Array;
    eachPosting(bytes, (document, hitsAt) => {
      isFound ||= this.isFound(document, bytes, hitsAt);
    });
    return isFound;
  }

  private *readVisible(found: readonly StepRow[]): Steps<void, SearchRead> {
    if (this.visible.length === 0) return;
    const all = new Set<number>();
    yield* eachChunk(found, ({ docs }) =>
      eachPosting(docs as Uint8Array, (document) => this.unused.has(document) || all.add(document)),
    );
    for (const [predicate, known] of this.visible.entries()) {
      const unknown = [...all].filter((document) => !known.has(document));
      if (unknown.length === 0) continue;
      for (const document of unknown) known.set(document, false);
      const rows = yield { kind: 'visible', predicate, documents: unknown };
      for (const { doc } of rows) known.set(Number(doc), true);
    }
  }
}

function eachChunk(rows: readonly StepRow[], take: (row: StepRow) => void): Pauses<void> {
  return takeInSlices(rows, take, CHUNKS_BEFORE_PAUSE);
}
