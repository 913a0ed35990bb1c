/** Indexes stale rows: reads their words, and stores them in a transaction that excludes other runs. */
import { stemOf } from '../../text/words/languages.ts';
import { isCode, wordsOf } from '../../text/words/tokens.ts';
import { type Bind, buildStatement, identifier, type SqlDialect, type Statement } from '../sql/statement.ts';
import {
  describeIndex,
  LAST_CHUNK,
  nameOfWord,
  referencesIn,
  textsOf,
  UNUSED,
  type WordIndex,
  withoutDefinition,
} from './index-tables.ts';
import { eachPosting, PostingList } from './postings.ts';
import { type StepRow, type Steps, takeInSlices } from './steps.ts';

/** The rows of a transaction. Others wait for it. */
export const BATCH_ROWS = 500;
/** The rows whose texts are split into words before a pause. */
const ROWS_BEFORE_PAUSE = 20;
/** The indexed characters of a field; the rest of a longer text is not found. */
const MAX_TEXT = 100_000;
/** A longer chunk is full: each change writes all of it. */
export const CHUNK_BYTES = 400;

/** The fields' texts of rows of the collection, in the form that both engines print. */
export function textColumns(dialect: SqlDialect, { fields }: WordIndex): string {
  const columns = fields.map((each, index) => {
    const table = each.by === undefined ? 'r' : identifier(`r ${each.by.field.name}`);
    const texts = textsOf(each).map(({ name, type }) => dialect.text(`${table}.${identifier(name)}`, type));
    const text = texts.length === 1 ? texts[0] : `coalesce(${texts.join(', ')})`;
    return `substr(${text}, 1, ${MAX_TEXT}) as t${index}`;
  });
  return columns.join(', ');
}

/** Joins the rows that texts come from to the rows `r`. */
export function joinReferences(index: WordIndex): string {
  const joins = referencesIn(index).map(({ by, to, target }) => {
    const alias = identifier(`r ${by}`);
    return ` left join ${identifier(to)} as ${alias} on ${alias}.${identifier(target)} = r.${identifier(by)}`;
  });
  return joins.join('');
}

interface IndexedWord {
  readonly stem: string;
  readonly word: string;
  readonly list: PostingList;
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
export function* readStaleRows(dialect: SqlDialect, index: WordIndex): Steps<StaleRows | undefined> {
  const { collection, stale, key, sameKey } = index;
  const batch = `select *, row_number() over (partition by ${key()} order by seq desc) as nth from (select * from ${stale} order by seq limit ${BATCH_ROWS}) as b`;
  const rows = yield buildStatement(
    dialect,
    () => `select cast(s.seq as text) as seq, r.${identifier(collection.key[0]!.name)} is not null as "exists", ${textColumns(dialect, index)}
      from (${batch}) as s left join ${identifier(collection.name)} as r on s.nth = 1 and ${sameKey('r', 's')}${joinReferences(index)} order by s.seq`,
  );
  if (rows.length === 0) return undefined;
  const indexed: number[] = [];
  const words = new Map<string, IndexedWord>();
  const takeRow = (row: StepRow) => {
    if (Number(row.exists) === 0) return;
    const number = indexed.push(Number(row.seq));
    for (const [stem, word, hits] of wordsOfRow(index, row)) {
      const { list } = entry(words, nameOfWord(stem, word), () => ({ stem, word, list: new PostingList() }));
      list.add(number, hits);
    }
  };
  yield* takeInSlices(rows, takeRow, ROWS_BEFORE_PAUSE);
  return { stale: rows.map(({ seq }) => Number(seq)), indexed, words: [...words.values()] };
}

/** Stores stale rows in the index, unless others have done so meanwhile. */
export function* storeStaleRows(dialect: SqlDialect, index: WordIndex, read: StaleRows): Steps<void> {
  const { documents, words, stale, key } = index;
  const numbers = (bind: Bind, list: readonly number[]) =>
    dialect.jsonRows(bind(JSON.stringify(list.map((each, nth) => [each, nth + 1]))), ['number', 'number']);
  const found = yield buildStatement(
    dialect,
    (bind) => `select ${key('s.')} from ${numbers(bind, read.stale)} as l join ${stale} as s on s.seq = c0`,
  );
  if (found.length < read.stale.length) return;
  const unused = yield buildStatement(
    dialect,
    (bind) => `select chunk, last, docs from ${words} where stem = ${bind(UNUSED)} and chunk in (0, ${LAST_CHUNK})`,
  );
  withoutDefinition(unused, describeIndex(index));
  const [greatest] = yield buildStatement(
    dialect,
    (bind) =>
      `select coalesce(max(n), 0) as n from (select max(doc) as n from ${documents} union all select max(last) as n from ${words} where stem = ${bind(UNUSED)}) as numbers`,
  );
  const before = Number(greatest!.n);
  const removed = yield buildStatement(
    dialect,
    (bind) =>
      `delete from ${documents} where (${key()}) in (select ${key('s.')} from ${numbers(bind, read.stale)} as l join ${stale} as s on s.seq = c0) returning doc`,
  );
  yield* addUnused(
    dialect,
    index,
    removed.map(({ doc }) => Number(doc)),
  );
  if (read.indexed.length > 0) {
    yield buildStatement(
      dialect,
      (bind) =>
        `insert into ${documents} (doc, ${key()}) select c1 + ${before}, ${key('s.')} from ${numbers(bind, read.indexed)} as l join ${stale} as s on s.seq = c0`,
    );
  }
  yield* append(dialect, index, read.words, before);
  yield buildStatement(
    dialect,
    (bind) => `delete from ${stale} where seq in (select c0 from ${numbers(bind, read.stale)} as l)`,
  );
}

/** Adds numbers to those that are no longer in use. The last chunk is sorted again until it is full. */
function* addUnused(dialect: SqlDialect, index: WordIndex, numbers: number[]): Steps<void> {
  if (numbers.length === 0) return;
  const { words } = index;
  const isLast = `stem = '${UNUSED}' and chunk = ${LAST_CHUNK}`;
  const [last] = yield buildStatement(dialect, () => `select docs from ${words} where ${isLast}`);
  if (last !== undefined) {
    eachPosting(last.docs as Uint8Array, (document) => numbers.push(document));
    yield buildStatement(dialect, () => `delete from ${words} where ${isLast}`);
  }
  const list = new PostingList();
  for (const each of numbers.sort((one, other) => one - other)) list.add(each, []);
  const chunk = list.size > CHUNK_BYTES ? list.last : LAST_CHUNK;
  yield addChunks(dialect, index, [{ stem: UNUSED, word: UNUSED, chunk, last: list.last, hex: list.encode(0) }]);
}

type WordOfRow = readonly [stem: string, word: string, hits: readonly number[]];

/** The words of a row with their hits. In fields of several languages, a word may have several stems. */
export function* wordsOfRow({ fields }: WordIndex, row: StepRow): Generator<WordOfRow> {
  const languages = [...new Set(fields.map(({ language }) => language))];
  for (const [word, hits] of hitsOf(fields.map((_, nth) => row[`t${nth}`]))) {
    const stem = stemOf(languages[0]!, word);
    if (languages.every((language) => stemOf(language, word) === stem)) yield [stem, word, hits];
    else yield* hitsByStem(word, hits, (field) => stemOf(fields[field]!.language, word));
  }
}

function* hitsByStem(word: string, hits: readonly number[], stemIn: (field: number) => string): Generator<WordOfRow> {
  const byStem = new Map<string, number[]>();
  for (let at = 0; at < hits.length; ) {
    const end = at + 3 + hits[at + 2]!;
    entry(byStem, stemIn(hits[at]!), noHits).push(...hits.slice(at, end));
    at = end;
  }
  for (const [stem, some] of byStem) yield [stem, word, some];
}

/** The hits of each word in the texts of a row. */
function hitsOf(texts: readonly unknown[]): ReadonlyMap<string, number[]> {
  const found = new Map<string, number[]>();
  texts.forEach((text, field) => {
    if (text === null || text === undefined) return;
    const words = wordsOf(String(text));
    const length = words.reduce((most, { position }) => Math.max(most, position + 1), 0);
    const counts = new Map<string, number>();
    for (const { text: word, position, parts = 1 } of words) {
      const hits = entry(found, word, noHits);
      const countAt = counts.get(word);
      // A code as a whole is one word.
      if (countAt === undefined) counts.set(word, hits.push(field, length + 1 - parts, 1, position) - 2);
      else {
        hits[countAt]! += 1;
        hits.push(position);
      }
    }
  });
  return found;
}

const noHits = (): number[] => [];

/** The entry of a key, made if it is missing. */
function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** A word, its chunk and the rows that are added to it. */
export interface AddedChunk {
  readonly stem: string;
  readonly word: string;
  readonly chunk: number;
  readonly last: number;
  readonly hex: string;
}

/** Appends postings to the last chunk of their word. A chunk that is full is not changed any more. */
function* append(dialect: SqlDialect, index: WordIndex, postings: readonly IndexedWord[], before: number): Steps<void> {
  if (postings.length === 0) return;
  const { words } = index;
  // In the order of the table, so that neighbours share a page.
  const lists = postings.toSorted((one, other) => (one.stem < other.stem ? -1 : 1));
  const names = lists.map(({ stem, word }) => [stem, word]);
  const found = yield buildStatement(dialect, (bind) => {
    const list = dialect.jsonRows(bind(JSON.stringify(names)), ['text', 'text']);
    return `select w.stem, w.word, w.last, length(w.docs) as size from ${list} as l join ${words} as w on w.stem = c0 and w.word = c1 and w.chunk = ${LAST_CHUNK}`;
  });
  const full = found.filter(({ size }) => Number(size) > CHUNK_BYTES);
  if (full.length > 0) {
    yield buildStatement(dialect, (bind) => {
      const closed = full.map(({ stem, word }) => [stem, word]);
      const list = dialect.jsonRows(bind(JSON.stringify(closed)), ['text', 'text']);
      return `update ${words} set chunk = last, letters = null from ${list} as l where stem = c0 and word = c1 and chunk = ${LAST_CHUNK}`;
    });
  }
  const open = found.filter(({ size }) => Number(size) <= CHUNK_BYTES);
  const lasts = new Map(open.map(({ stem, word, last }) => [nameOfWord(stem, word), Number(last)]));
  const added: AddedChunk[] = [];
  yield* takeInSlices(lists, ({ stem, word, list }) => {
    const hex = list.encode((lasts.get(nameOfWord(stem, word)) ?? 0) - before);
    added.push({ stem, word, chunk: LAST_CHUNK, last: list.last + before, hex });
  });
  yield addChunks(dialect, index, added);
}

export function addChunks(dialect: SqlDialect, { words }: WordIndex, added: readonly AddedChunk[]): Statement {
  const rows = added.map(({ stem, word, chunk, last, hex }) => {
    return [stem, word, chunk === LAST_CHUNK && !isCode(word) ? word.length : null, chunk, last, hex];
  });
  return buildStatement(dialect, (bind) => {
    const list = dialect.jsonRows(bind(JSON.stringify(rows)), ['text', 'text', 'number', 'number', 'number', 'bytes']);
    return `insert into ${words} (stem, word, letters, chunk, last, docs) select * from ${list} as l where true
      on conflict (stem, word, chunk) do update set last = excluded.last, docs = ${dialect.joinBytes(`${words}.docs`, 'excluded.docs')}`;
  });
}
