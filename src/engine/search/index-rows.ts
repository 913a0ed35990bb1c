/** Indexes stale rows: reads their words, and stores them in a transaction that excludes other runs. */
import { type Bind, identifier, type SqlDialect } from '../sql/statement.ts';
import {
  describeIndex,
  type IndexSql,
  LAST_CHUNK,
  referencesIn,
  textsOf,
  UNUSED,
  type WordIndex,
  withoutDefinition,
} from './index-tables.ts';
import { type IndexedWord, IndexedWords } from './indexed-words.ts';
import { eachPosting, PostingList } from './postings.ts';
import { type StepRow, type Steps, takeInSlices } from './steps.ts';
import { addChunks, CHUNK_BYTES, storeWords } from './store-words.ts';

/** The rows of a transaction. Others wait for it. */
export const BATCH_ROWS = 500;
/** The rows whose texts are split into words before a pause. */
const ROWS_BEFORE_PAUSE = 20;
/** A row without hits, packed. */
const NO_HITS = Uint8Array.of(0);
/** The indexed characters of a field; the rest of a longer text is not found. */
const MAX_TEXT = 100_000;

/** The fields' texts of rows of the collection, in the form that both engines print. */
export function textColumns(dialect: SqlDialect, index: WordIndex): string {
  const columns = index.fields.map((each, nth) => {
    const table = each.by === undefined ? 'r' : referenceAlias(index, each.by.field.name);
    const texts = textsOf(each).map(({ name, type }) => dialect.text(`${table}.${identifier(name)}`, type));
    const text = texts.length === 1 ? texts[0] : `coalesce(${texts.join(', ')})`;
    return `substr(${text}, 1, ${MAX_TEXT}) as t${nth}`;
  });
  return columns.join(', ');
}

export function joinReferences(index: WordIndex): string {
  const joins = referencesIn(index).map(({ by, to, target }) => {
    const alias = referenceAlias(index, by);
    return ` left join ${identifier(to)} as ${alias} on ${alias}.${identifier(target)} = r.${identifier(by)}`;
  });
  return joins.join('');
}

/** Numbered: PostgreSQL cuts aliases of long names. */
function referenceAlias({ collection }: WordIndex, by: string): string {
  return identifier(`r ${collection.fields.findIndex(({ name }) => name === by)}`);
}

/** Rows that were read for the index. Their numbers begin at 1 until they are stored. */
export interface StaleRows {
  /** Their numbers in the list of stale rows. */
  readonly stale: readonly number[];
  /** The indexed rows by their numbers there. */
  readonly indexed: readonly number[];
  readonly words: readonly IndexedWord[];
}

/**
 * Reads the next stale rows, in one state of the data. Undefined if there are none. A row that changes later is stale
 * again, so it need not be stored in the same transaction.
 */
export function* readStaleRows(index: IndexSql): Steps<StaleRows | undefined> {
  const { collection, stale, seq, key, sameKey, build, dialect } = index;
  const batch = `select *, row_number() over (partition by ${key()} order by ${seq} desc) as " nth" from (select * from ${stale} order by ${seq} limit ${BATCH_ROWS}) as b`;
  const rows = yield build(
    () => `select cast(s.${seq} as text) as seq, r.${identifier(collection.key[0]!.name)} is not null as "exists", ${textColumns(dialect, index)}
      from (${batch}) as s left join ${identifier(collection.name)} as r on s." nth" = 1 and ${sameKey('r', 's')}${joinReferences(index)} order by s.${seq}`,
  );
  if (rows.length === 0) return undefined;
  const indexed: number[] = [];
  const words = new IndexedWords();
  const takeRow = (row: StepRow) => {
    if (Number(row.exists) > 0) words.addRow(index, row, indexed.push(Number(row.seq)));
  };
  yield* takeInSlices(rows, takeRow, ROWS_BEFORE_PAUSE);
  return { stale: rows.map(({ seq }) => Number(seq)), indexed, words: words.all };
}

/** Stores stale rows that were read in an earlier transaction, unless others have stored them meanwhile. */
export function* storeIfStale(index: IndexSql, read: StaleRows): Steps<void> {
  const { stale, seq, build, dialect } = index;
  const [counted] = yield build((bind) => {
    const list = dialect.jsonRows(bind(JSON.stringify(read.stale.map((each) => [each]))), ['number']);
    return `select count(*) as count from ${list} as l join ${stale} as s on s.${seq} = l.c0`;
  });
  if (Number(counted!.count) === read.stale.length) yield* storeStaleRows(index, read);
}

/** Stores stale rows in the index. */
export function* storeStaleRows(index: IndexSql, read: StaleRows): Steps<void> {
  const { documents, words, stale, doc, seq, key, build, dialect } = index;
  const numbers = (bind: Bind, list: readonly number[], before = 0) =>
    dialect.jsonRows(bind(JSON.stringify(list.map((each, nth) => [each, before + nth + 1]))), ['number', 'number']);
  const unused = yield build(
    (bind) =>
      `select chunk, last, case when chunk = 0 then docs end as docs, (select max(${doc}) from ${documents}) as greatest from ${words} where stem = ${bind(UNUSED)}`,
  );
  const lasts = withoutDefinition(unused, describeIndex(index)).map(({ last }) => Number(last));
  const before = Math.max(Number(unused[0]!.greatest), ...lasts);
  const removed = yield build(
    (bind) =>
      `delete from ${documents} where (${key()}) in (select ${key('s.')} from ${numbers(bind, read.stale)} as l join ${stale} as s on s.${seq} = l.c0) returning ${doc} as doc`,
  );
  const numbered = removed.map(({ doc }) => Number(doc));
  yield* addUnused(index, numbered);
  if (read.indexed.length > 0) {
    yield build(
      (bind) =>
        `insert into ${documents} (${doc}, ${key()}) select l.c1, ${key('s.')} from ${numbers(bind, read.indexed, before)} as l join ${stale} as s on s.${seq} = l.c0`,
    );
  }
  yield* storeWords(index, read.words, before, before + read.indexed.length);
  yield build((bind) => `delete from ${stale} where ${seq} in (select l.c0 from ${numbers(bind, read.stale)} as l)`);
}

/** Adds numbers to those that are no longer in use. The last chunk is sorted again until it is full. */
function* addUnused(index: IndexSql, numbers: number[]): Steps<void> {
  if (numbers.length === 0) return;
  const { words, build } = index;
  const isLast = `stem = '${UNUSED}' and chunk = ${LAST_CHUNK}`;
  const [last] = yield build(() => `select docs from ${words} where ${isLast}`);
  if (last !== undefined) {
    eachPosting(last.docs as Uint8Array, (document) => numbers.push(document));
    yield build(() => `delete from ${words} where ${isLast}`);
  }
  const list = new PostingList();
  for (const each of numbers.sort((one, other) => one - other)) list.add(each, NO_HITS, 0);
  const chunk = list.size > CHUNK_BYTES ? list.last : LAST_CHUNK;
  yield addChunks(index, [{ stem: UNUSED, word: UNUSED, chunk, last: list.last, hex: list.encode(0) }]);
}
