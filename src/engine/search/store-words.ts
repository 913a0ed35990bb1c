/**
 * Stores the words of rows. Those of a batch are stored as they are, in groups by their first letter: `recent`. When
 * they are long together, the longest groups move to `words`, many rows of a word at once, since a change of a chunk
 * costs the same for one row as for many.
 */
import { isCode } from '../../text/words/tokens.ts';
import type { Bind, Statement } from '../sql/statement.ts';
import { type IndexSql, LAST_CHUNK, nameOfWord } from './index-tables.ts';
import type { IndexedWord } from './indexed-words.ts';
import { eachList, eachPosting, PostingList, packLists } from './postings.ts';
import { type Steps, takeInSlices } from './steps.ts';

/** A longer chunk is full: each change writes all of it. */
export const CHUNK_BYTES = 400;
/** The bytes of recent words. A search reads those of its letters, and all for a misspelt word. */
const RECENT_BYTES = 1_000_000;
/** The bytes of the groups that move together, at least one: others wait, and Chinese texts have thousands. */
export const MOVED_BYTES = 100_000;
const BATCHES_BEFORE_PAUSE = 5;
const GROUPS_BEFORE_PAUSE = 5;

/** The group of a stem and of its words: they begin with the same letter. */
export function letterOf(text: string): string {
  return text.codePointAt(0)! > 0xffff ? text.slice(0, 2) : text[0]!;
}

/** Stores the words of a batch. The numbers of its rows are those after `before`, up to `last`. */
export function* storeWords(index: IndexSql, words: readonly IndexedWord[], before: number, last: number): Steps<void> {
  if (words.length === 0) return;
  const groups = Map.groupBy(words, ({ stem }) => letterOf(stem));
  const rows: unknown[][] = [];
  const pack = ([letter, some]: readonly [string, readonly IndexedWord[]]) => {
    // A stem that is the word is left out.
    const names = some.flatMap(({ stem, word }) => [stem === word ? '' : stem, word]).join('\n');
    rows.push([letter, last, names, packLists(some, before)]);
  };
  yield* takeInSlices(groups, pack, GROUPS_BEFORE_PAUSE);
  yield index.build((bind) => {
    const list = index.dialect.jsonRows(bind(JSON.stringify(rows)), ['text', 'number', 'text', 'bytes']);
    return `insert into ${index.recent} (letter, last, names, docs) select * from ${list} as l`;
  });
  while ((yield* moveWords(index, RECENT_BYTES)) > 0);
}

/** Moves the longest groups of recent words, if all have more bytes than `most`. Returns the bytes of all, or 0. */
export function* moveWords(index: IndexSql, most: number): Steps<number> {
  const { recent, dialect, build } = index;
  const groups = yield build(
    () => `select letter, sum(length(docs)) as bytes from ${recent} group by letter order by bytes desc`,
  );
  const all = groups.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  if (all <= most) return 0;
  const letters: unknown[][] = [];
  let moved = 0;
  for (const { letter, bytes } of groups) {
    moved += Number(bytes);
    if (moved <= MOVED_BYTES || letters.length === 0) letters.push([letter]);
  }
  const list = JSON.stringify(letters);
  const isMoved = (bind: Bind) => `letter in (select c0 from ${dialect.jsonRows(bind(list), ['text'])} as l)`;
  const batches = yield build((bind) => `select names, docs from ${recent} where ${isMoved(bind)} order by last`);
  const lists = new Map<string, WordPostings>();
  const take = (stem: string, word: string, docs: Uint8Array) => {
    const name = nameOfWord(stem, word);
    const postings = lists.get(name) ?? { stem, word, list: new PostingList() };
    lists.set(name, postings);
    eachPosting(docs, (document, hitsAt) => postings.list.add(document, docs, hitsAt));
  };
  yield* takeInSlices(batches, ({ names, docs }) => eachRecent(names, docs, take), BATCHES_BEFORE_PAUSE);
  yield* append(index, [...lists.values()]);
  yield build((bind) => `delete from ${recent} where ${isMoved(bind)}`);
  return all;
}

/** Calls `take` for each word of a group with its postings. */
export function eachRecent(
  names: unknown,
  docs: unknown,
  take: (stem: string, word: string, docs: Uint8Array) => void,
  isWanted: (stem: string, word: string) => boolean = () => true,
): void {
  const [texts, bytes] = [String(names).split('\n'), docs as Uint8Array];
  eachList(bytes, (nth, start, end) => {
    const word = texts[2 * nth + 1]!;
    const stem = texts[2 * nth] || word;
    if (isWanted(stem, word)) take(stem, word, bytes.subarray(start, end));
  });
}

interface WordPostings {
  readonly stem: string;
  readonly word: string;
  readonly list: PostingList;
}

/** Appends postings to the last chunk of their word. A chunk that is full is not changed any more. */
function* append(index: IndexSql, postings: readonly WordPostings[]): Steps<void> {
  const { words, dialect, build } = index;
  // In the order of the table, so that neighbours share a page.
  const lists = postings.toSorted((one, other) => (one.stem < other.stem ? -1 : 1));
  const names = lists.map(({ stem, word }) => [stem, word]);
  const found = yield build((bind) => {
    const list = dialect.jsonRows(bind(JSON.stringify(names)), ['text', 'text']);
    return `select w.stem, w.word, w.last, length(w.docs) as size from ${list} as l join ${words} as w on w.stem = c0 and w.word = c1 and w.chunk = ${LAST_CHUNK}`;
  });
  const full = found.filter(({ size }) => Number(size) > CHUNK_BYTES);
  if (full.length > 0) {
    yield build((bind) => {
      const closed = full.map(({ stem, word }) => [stem, word]);
      const list = dialect.jsonRows(bind(JSON.stringify(closed)), ['text', 'text']);
      return `update ${words} set chunk = last, letters = null from ${list} as l where stem = c0 and word = c1 and chunk = ${LAST_CHUNK}`;
    });
  }
  const open = found.filter(({ size }) => Number(size) <= CHUNK_BYTES);
  const lasts = new Map(open.map(({ stem, word, last }) => [nameOfWord(stem, word), Number(last)]));
  const added: AddedChunk[] = [];
  yield* takeInSlices(lists, ({ stem, word, list }) => {
    const hex = list.encode(lasts.get(nameOfWord(stem, word)) ?? 0);
    added.push({ stem, word, chunk: LAST_CHUNK, last: list.last, hex });
  });
  yield addChunks(index, added);
}

/** A word, its chunk and the rows that are added to it. */
export interface AddedChunk {
  readonly stem: string;
  readonly word: string;
  readonly chunk: number;
  readonly last: number;
  readonly hex: string;
}

export function addChunks({ words, dialect, build }: IndexSql, added: readonly AddedChunk[]): Statement {
  const rows = added.map(({ stem, word, chunk, last, hex }) => {
    return [stem, word, chunk === LAST_CHUNK && !isCode(word) ? word.length : null, chunk, last, hex];
  });
  return build((bind) => {
    const list = dialect.jsonRows(bind(JSON.stringify(rows)), ['text', 'text', 'number', 'number', 'number', 'bytes']);
    return `insert into ${words} (stem, word, letters, chunk, last, docs) select * from ${list} as l where true
      on conflict (stem, word, chunk) do update set last = excluded.last, docs = ${dialect.joinBytes(`${words}.docs`, 'excluded.docs')}`;
  });
}
