/** Compares the word index of a collection with its rows. */
import { INT4_MAX } from '../../base/limits/declaration.ts';
import { identifier } from '../sql/statement.ts';
import { joinReferences, textColumns } from './index-rows.ts';
import { type IndexSql, nameOfWord, UNUSED } from './index-tables.ts';
import { IndexedWords } from './indexed-words.ts';
import { eachPosting, packHits, readHits } from './postings.ts';
import type { StepRow, Steps } from './steps.ts';
import { eachRecent } from './store-words.ts';

const PAGE_ROWS = 500;

export interface IndexState {
  /** The number of rows that are not indexed yet. */
  readonly stale: number;
  /** The number of rows whose words differ from those in the index. */
  readonly wrong: number;
}

/** Compares a number for each row, which depends on all of its words and their places. */
export function* verifyIndex(index: IndexSql): Steps<IndexState> {
  const { collection, documents, stale, doc, sameKey, key, dialect, build } = index;
  const indexed = yield* sumsOfIndex(index);
  const table = identifier(collection.name);
  const changed = `exists (select 1 from ${stale} as s where ${sameKey('s', 'r')})`;
  const [counts] = yield build(
    () => `select (select count(*) from (select distinct ${key()} from ${stale}) as s) as stale,
      (select count(*) from ${table} as r where not ${changed} and not exists (select 1 from ${documents} as d where ${sameKey('d', 'r')})) as missing`,
  );
  let wrong = Number(counts!.missing);
  let last = 0;
  for (;;) {
    const after = last;
    const rows: readonly StepRow[] = yield build(
      (
        bind,
      ) => `select d.${doc} as doc, ${textColumns(dialect, index)} from ${documents} as d join ${table} as r on ${sameKey('r', 'd')}${joinReferences(index)}
        where d.${doc} > ${bind(after)} and not ${changed} order by d.${doc} limit ${PAGE_ROWS}`,
    );
    const words = new IndexedWords();
    for (const row of rows) words.addRow(index, row, Number(row.doc));
    const sums = new Sums();
    for (const { stem, word, hits } of words.all) {
      const bytes: number[] = [];
      packHits(bytes, hits);
      sums.addPostings(stem, word, Uint8Array.from(bytes));
    }
    for (const { doc } of rows) {
      last = Number(doc);
      if (sums.of(last) !== indexed.of(last)) wrong += 1;
    }
    if (rows.length < PAGE_ROWS) return { stale: Number(counts!.stale), wrong };
  }
}

/** A number for each row. The order of words does not matter. */
class Sums {
  private readonly sums = new Map<number, number>();

  of(document: number): number {
    return this.sums.get(document) ?? 0;
  }

  addPostings(stem: unknown, word: unknown, bytes: Uint8Array): void {
    eachPosting(bytes, (document, hitsAt) => {
      const hits: number[] = [];
      readHits(bytes, hitsAt, hits);
      const part = Bun.hash.crc32(`${nameOfWord(stem, word)} ${hits.join(' ')}`);
      this.sums.set(document, (this.of(document) + part) % 2 ** 32);
    });
  }
}

function* sumsOfIndex({ words, recent, build }: IndexSql): Steps<Sums> {
  const sums = new Sums();
  const batches = yield build(() => `select names, docs from ${recent}`);
  for (const { names, docs } of batches) eachRecent(names, docs, sums.addPostings.bind(sums));
  let last: StepRow = { stem: UNUSED, word: UNUSED, chunk: INT4_MAX };
  for (;;) {
    const { stem, word, chunk: number } = last as Record<string, string | number>;
    const chunks: readonly StepRow[] = yield build(
      (
        bind,
      ) => `select stem, word, chunk, docs from ${words} where (stem, word, chunk) > (${bind(stem!)}, ${bind(word!)}, ${bind(number!)})
        order by stem, word, chunk limit ${PAGE_ROWS}`,
    );
    for (const chunk of chunks) {
      sums.addPostings(chunk.stem, chunk.word, chunk.docs as Uint8Array);
      last = chunk;
    }
    if (chunks.length < PAGE_ROWS) return sums;
  }
}
