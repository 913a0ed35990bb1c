/**
 * Removes the words of rows that changed from the index, so that it equals a new one. A step rewrites some words. The
 * numbers of these rows are forgotten after the last word. After a restart it begins again.
 */
import { describeIndex, type IndexSql, LAST_CHUNK, nameOfWord, UNUSED, withoutDefinition } from './index-tables.ts';
import { NumberSet } from './number-set.ts';
import { eachPosting, PostingList } from './postings.ts';
import { type StepRow, type Steps, takeInSlices } from './steps.ts';
import { type AddedChunk, addChunks, CHUNK_BYTES, MOVED_BYTES, moveWords } from './store-words.ts';

/** The words of a transaction. Others wait for it. */
const WORDS_PER_STEP = 100;
/** It begins when more rows changed than this number and a quarter of all. */
export const FEWEST_UNUSED = 2_000;

export interface Compaction {
  /** The last word that was rewritten. */
  readonly after: string;
  /** The chunks with the numbers that are removed. Undefined until recent words have moved. */
  readonly chunks?: ReadonlySet<number>;
}

/** Returns undefined if there is nothing left to do. Runs in a transaction that excludes other writers of the index. */
export function* compactWords(index: IndexSql, begun: Compaction | undefined): Steps<Compaction | undefined> {
  const { words, dialect, build } = index;
  const stored = yield build(
    (bind) => `select chunk, last, docs from ${words} where stem = ${bind(UNUSED)} order by last`,
  );
  const rows = withoutDefinition(stored, describeIndex(index));
  const known = begun?.chunks === undefined ? rows : rows.filter(({ chunk }) => begun.chunks!.has(Number(chunk)));
  const unused = new NumberSet();
  yield* takeInSlices(known, ({ docs }) => eachPosting(docs as Uint8Array, (document) => unused.add(document)));
  if (begun?.chunks === undefined) {
    if (!(yield* isWorthwhile(index, unused.size))) return undefined;
    if ((yield* moveWords(index, 0)) > MOVED_BYTES) return { after: UNUSED };
    // Numbers that are added from now on have other chunks.
    yield build(() => `update ${words} set chunk = last where stem = '${UNUSED}' and chunk = ${LAST_CHUNK}`);
  }
  const { after = UNUSED, chunks = new Set(known.map(({ last }) => Number(last))) } = begun ?? {};
  const found = yield build((bind) => {
    const some = `select distinct word from ${words} where word > ${bind(after)} and chunk = ${LAST_CHUNK} order by word limit ${WORDS_PER_STEP}`;
    return `select w.stem, w.word, w.chunk, w.docs from (${some}) as batch join ${words} as v on v.word = batch.word and v.chunk = ${LAST_CHUNK} join ${words} as w on w.stem = v.stem and w.word = v.word`;
  });
  const byWord = [...Map.groupBy(found, ({ stem, word }) => nameOfWord(stem, word)).values()];
  const changed: string[][] = [];
  const added: AddedChunk[] = [];
  yield* takeInSlices(byWord, (list) => {
    const [stem, word] = [String(list[0]!.stem), String(list[0]!.word)];
    const kept = withoutUnused(list, unused);
    if (kept === undefined) return;
    changed.push([stem, word]);
    kept.forEach((each, nth) => {
      const chunk = nth === kept.length - 1 ? LAST_CHUNK : each.last;
      added.push({ stem, word, chunk, last: each.last, hex: each.encode(0) });
    });
  });
  if (changed.length > 0) {
    yield build((bind) => {
      const list = dialect.jsonRows(bind(JSON.stringify(changed)), ['text', 'text']);
      return `delete from ${words} where (stem, word) in (select c0, c1 from ${list} as l)`;
    });
  }
  if (added.length > 0) yield addChunks(index, added);
  if (byWord.length > 0) {
    return { after: found.reduce((last, { word }) => (String(word) > last ? String(word) : last), after), chunks };
  }
  // The greatest number stays, so that no number is used again.
  const greatest = Number(rows.at(-1)?.last);
  const removed = [...chunks].filter((chunk) => chunk !== greatest).map((chunk) => [chunk]);
  yield build((bind) => {
    const list = dialect.jsonRows(bind(JSON.stringify(removed)), ['number']);
    return `delete from ${words} where stem = ${bind(UNUSED)} and chunk in (select c0 from ${list} as l)`;
  });
  return undefined;
}

function* isWorthwhile({ documents, build }: IndexSql, unused: number): Steps<boolean> {
  if (unused <= FEWEST_UNUSED) return false;
  const [counted] = yield build(() => `select count(*) as count from ${documents}`);
  return unused > Number(counted!.count) / 4;
}

/** The chunks of a word without rows that changed; undefined if it has none of them. */
function withoutUnused(chunks: readonly StepRow[], unused: NumberSet): readonly PostingList[] | undefined {
  const kept: PostingList[] = [];
  let isChanged = false;
  for (const { docs } of chunks.toSorted((one, other) => Number(one.chunk) - Number(other.chunk))) {
    const bytes = docs as Uint8Array;
    eachPosting(bytes, (document, hitsAt) => {
      if (unused.has(document)) {
        isChanged = true;
        return;
      }
      if (kept.length === 0 || kept.at(-1)!.size > CHUNK_BYTES) kept.push(new PostingList());
      kept.at(-1)!.add(document, bytes, hitsAt);
    });
  }
  return isChanged ? kept : undefined;
}
