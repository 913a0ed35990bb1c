/** The rows that contain the words of a query, without rows and fields that the caller may not read. */

import type { SearchPlan } from '../../plan/types.ts';
import { nearWords } from '../../text/words/edit-distance.ts';
import { type Language, stemOf } from '../../text/words/languages.ts';
import { isCode } from '../../text/words/tokens.ts';
import { compilePredicate } from '../sql/predicate.ts';
import { scopeOf } from '../sql/read.ts';
import { buildStatement, identifier, type SqlDialect, type Statement } from '../sql/statement.ts';
import { UNUSED } from './index-rows.ts';
import type { WordIndex } from './index-tables.ts';
import { decodePostings } from './postings.ts';
import { type StepRow, type Steps, takeInSlices } from './steps.ts';

/** The hits of a query word in a row, and how well the row's word agrees with it, from 0 to 1. */
export interface Match {
  readonly hits: number[];
  readonly agreement: number;
}

/** By the number of the row. */
export type Matches = ReadonlyMap<number, Match>;

/** The chunks of the index that are decoded before a pause. */
const CHUNKS_BEFORE_PAUSE = 10;
const OF_STEM = 1;
const OF_PREFIX = 0.6;
const OF_EDITS = [1, 0.5, 0.3] as const;

export class Vocabulary {
  private readonly found = new Map<string, Map<number, Match>>();
  /** The stems that stand for a query word: its own, and those of corrections. */
  private readonly stems = new Map<string, Map<string, number>>();
  /** The numbers of rows that are visible, by predicate; undefined if all are. */
  private readonly visible: (Map<number, boolean> | undefined)[];
  private readonly unused = new Set<number>();
  private readonly language: Language;
  /** Whether the caller may read all searched texts. */
  private readonly isComplete: boolean;
  private ofPrefixRows: readonly StepRow[] = [];

  constructor(
    private readonly dialect: SqlDialect,
    private readonly index: WordIndex,
    private readonly search: SearchPlan,
  ) {
    this.language = index.collection.search!.language;
    this.visible = search.visible.map(() => new Map());
    this.isComplete = search.fields.length === index.fields.length && search.visible.length === 0;
  }

  matchesOf(word: string): Matches {
    return this.found.get(word) ?? NONE;
  }

  /** Whether a word of a text was searched for, for highlights. */
  isSearched(word: string, words: readonly string[], prefix: string | undefined): boolean {
    const stem = stemOf(this.language, word);
    return (prefix !== undefined && word.startsWith(prefix)) || words.some((each) => this.stems.get(each)?.has(stem));
  }

  /** Whether the caller may read a field of a row. */
  isReadable(document: number, field: number): boolean {
    const readable = this.search.fields.find((each) => each.number === field);
    if (readable === undefined) return false;
    return readable.rows === undefined || this.visible[readable.rows]!.get(document) === true;
  }

  /** Reads the rows of the words, and of words that begin with the prefix. */
  *read(words: readonly string[], prefix: string | undefined): Steps<void> {
    for (const word of words) {
      this.stems.set(word, new Map([[stemOf(this.language, word), OF_STEM]]));
      this.found.set(word, new Map());
    }
    const stems = new Set([UNUSED, ...words.map((word) => stemOf(this.language, word))]);
    const ofStems = yield this.ofStems([...stems]);
    const unused = ofStems.filter(({ word }) => word === UNUSED);
    yield* eachChunk(unused, (row) => decode(row, (document) => this.unused.add(document)));
    const ofPrefix = prefix === undefined ? [] : yield this.ofPrefix(prefix);
    this.ofPrefixRows = ofPrefix;
    yield* this.readVisible([...ofStems, ...ofPrefix]);
    for (const word of words) yield* this.collect(word, ofStems, this.stems.get(word)!);
    if (prefix !== undefined) {
      const own = stemOf(this.language, prefix);
      const others = ofPrefix.filter(({ stem }) => stem !== own);
      yield* eachChunk(others, (row) => this.add(prefix, row, OF_PREFIX));
    }
  }

  /** The words with the prefix in each row. */
  *completions(): Steps<ReadonlyMap<number, readonly string[]>> {
    const found = new Map<number, string[]>();
    yield* eachChunk(this.ofPrefixRows, (row) => {
      this.eachReadable(row, (document) => {
        const words = found.get(document) ?? [];
        found.set(document, words);
        words.push(String(row.word));
      });
    });
    return found;
  }

  /** Adds rows with words that differ from these by a misspelling. */
  *correct(words: readonly string[]): Steps<void> {
    const wanted = words.filter((word) => !isCode(word));
    if (wanted.length === 0) return;
    const { words: table } = this.index;
    const all = yield buildStatement(this.dialect, () => `select distinct word, stem from ${table}`);
    const stemsOf = new Map(all.map(({ word, stem }) => [String(word), String(stem)]));
    const names = [...stemsOf.keys()].filter((word) => word !== UNUSED && !isCode(word));
    const nearOf = new Map<string, ReadonlyMap<string, number>>();
    const findNear = (word: string) =>
      nearOf.set(word, new Map(nearWords(word, names).map(({ text, edits }) => [text, OF_EDITS[edits]!])));
    yield* takeInSlices(wanted, findNear, 1);
    const stems = new Set([...nearOf.values()].flatMap((near) => [...near.keys()].map((text) => stemsOf.get(text)!)));
    if (stems.size === 0) return;
    const rows = yield this.ofStems([...stems]);
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
      yield* this.collect(word, rows, added);
      for (const [stem, agreement] of added) own.set(stem, agreement);
    }
  }

  private ofStems(stems: readonly string[]): Statement {
    const { words } = this.index;
    return buildStatement(this.dialect, (bind) => {
      const list = this.dialect.jsonRows(bind(JSON.stringify(stems.map((stem) => [stem]))), ['text']);
      return `select w.stem, w.word, w.docs from ${list} as l join ${words} as w on w.stem = c0`;
    });
  }

  private ofPrefix(prefix: string): Statement {
    const { words } = this.index;
    return buildStatement(this.dialect, (bind) => {
      return `select stem, word, docs from ${words} where word >= ${bind(prefix)} and word < ${bind(`${prefix}\u{10ffff}`)}`;
    });
  }

  private collect(word: string, rows: readonly StepRow[], stems: ReadonlyMap<string, number>): Steps<void> {
    return eachChunk(rows, (row) => {
      const agreement = stems.get(String(row.stem));
      if (agreement !== undefined) this.add(word, row, agreement);
    });
  }

  /** A row with several words for one query word counts the best of them. */
  private add(word: string, row: StepRow, agreement: number): void {
    const matches = this.found.get(word)!;
    this.eachReadable(row, (document, hits) => {
      const match = matches.get(document);
      if (match === undefined || match.agreement < agreement) matches.set(document, { hits, agreement });
      else if (match.agreement === agreement) match.hits.push(...hits);
    });
  }

  /** Calls `take` with the hits in rows and fields that the caller may read. */
  private eachReadable(row: StepRow, take: (document: number, hits: number[]) => void): void {
    decode(row, (document, all) => {
      if (this.unused.has(document)) return;
      const hits = this.isComplete ? all : readableHits(all, (field) => this.isReadable(document, field));
      if (hits.length > 0) take(document, hits);
    });
  }

  private hasReadable(row: StepRow): boolean {
    let isFound = false;
    this.eachReadable(row, () => {
      isFound = true;
    });
    return isFound;
  }

  /** Reads which rows with these words are visible. */
  private *readVisible(found: readonly StepRow[]): Steps<void> {
    const { visible } = this.search;
    if (visible.length === 0) return;
    const all = new Set<number>();
    yield* eachChunk(found, (row) => decode(row, (document) => this.unused.has(document) || all.add(document)));
    for (const [index, predicate] of visible.entries()) {
      const known = this.visible[index]!;
      const unknown = [...all].filter((document) => !known.has(document));
      if (unknown.length === 0) continue;
      for (const document of unknown) known.set(document, false);
      const { collection, documents, sameKey } = this.index;
      const table = identifier(collection.name);
      const rows = yield buildStatement(this.dialect, (bind) => {
        const list = this.dialect.jsonRows(bind(JSON.stringify(unknown.map((each) => [each]))), ['number']);
        const where = compilePredicate(predicate, scopeOf(this.dialect, bind, collection.name));
        return `select d.doc from ${list} as l join ${documents} as d on d.doc = c0 join ${table} on ${sameKey(table, 'd')} where ${where}`;
      });
      for (const { doc } of rows) known.set(Number(doc), true);
    }
  }
}

const NONE: Matches = new Map();

function readableHits(hits: readonly number[], isReadable: (field: number) => boolean): number[] {
  const kept: number[] = [];
  for (let at = 0; at < hits.length; at += 3 + hits[at + 2]!) {
    if (isReadable(hits[at]!)) kept.push(...hits.slice(at, at + 3 + hits[at + 2]!));
  }
  return kept;
}

function eachChunk(rows: readonly StepRow[], take: (row: StepRow) => void): Steps<void> {
  return takeInSlices(rows, take, CHUNKS_BEFORE_PAUSE);
}

function decode(row: StepRow, take: (document: number, hits: number[]) => void): void {
  decodePostings(row.docs as Uint8Array, 0, take);
}
