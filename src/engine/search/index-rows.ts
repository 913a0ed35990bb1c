/** Indexes stale rows. Runs in a transaction that excludes other runs and sees one state of the data. */
import { stemOf } from '../../text/words/languages.ts';
import { wordsOf } from '../../text/words/tokens.ts';
import { buildStatement, identifier, type SqlDialect } from '../sql/statement.ts';
import { referencesIn, type WordIndex } from './index-tables.ts';
import { encodePostings, type Posting } from './postings.ts';
import { type StepRow, type Steps, takeInSlices } from './steps.ts';

/** The rows of a transaction. Others wait for it. */
const BATCH_ROWS = 500;
/** The rows whose texts are split into words before a pause. */
const ROWS_BEFORE_PAUSE = 20;
/** The indexed characters of a field; the rest of a longer text is not found. */
const MAX_TEXT = 100_000;
/** A longer chunk is not changed any more: each change writes all of it. */
const CHUNK_BYTES = 400;
/** The word of the numbers that are no longer in use. */
export const UNUSED = '';

/** The fields' texts of rows of the collection, in the form that both engines print. */
export function textColumns(dialect: SqlDialect, { fields }: WordIndex): string {
  const columns = fields.map(({ field, by }, index) => {
    const table = by === undefined ? 'r' : identifier(`r ${by.field.name}`);
    return `substr(${dialect.text(`${table}.${identifier(field.name)}`, field.type)}, 1, ${MAX_TEXT}) as t${index}`;
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

/** Indexes the next stale rows. Returns false if there are none. */
export function* indexStaleRows(dialect: SqlDialect, index: WordIndex): Steps<boolean> {
  const { collection, documents, words, stale, key, sameKey, fields } = index;
  const batch = `(select * from ${stale} order by seq limit ${BATCH_ROWS})`;
  const rows = yield buildStatement(
    dialect,
    () => `select cast(s.seq as text) as seq, r.${identifier(collection.key[0]!.name)} is not null as "exists", ${textColumns(dialect, index)}
      from (select max(seq) as seq, ${key()} from ${batch} as b group by ${key()}) as s
      left join ${identifier(collection.name)} as r on ${sameKey('r', 's')}${joinReferences(index)} order by s.seq`,
  );
  if (rows.length === 0) return false;
  const numbers = yield buildStatement(
    dialect,
    (bind) =>
      `select coalesce(max(n), 0) as n from (select max(doc) as n from ${documents} union all select max(last) as n from ${words} where stem = ${bind(UNUSED)}) as numbers`,
  );
  let document = Number(numbers[0]!.n);
  const removed = yield buildStatement(
    dialect,
    () =>
      `delete from ${documents} where exists (select 1 from ${batch} as s where ${sameKey('s', documents)}) returning doc`,
  );
  const added: [number, number][] = [];
  const postings = new Map<string, Map<string, Posting[]>>();
  const unused = removed.map(({ doc }) => Number(doc)).sort((one, other) => one - other);
  if (unused.length > 0) {
    postings.set(UNUSED, new Map([[UNUSED, unused.map((each) => ({ document: each, hits: [] }))]]));
  }
  const takeRow = (row: StepRow) => {
    if (Number(row.exists) === 0) return;
    document += 1;
    added.push([document, Number(row.seq)]);
    const texts = fields.map((_, nth) => row[`t${nth}`]);
    for (const [word, hits] of hitsOf(texts)) {
      const stem = stemOf(collection.search!.language, word);
      const surfaces = postings.get(stem) ?? new Map<string, Posting[]>();
      postings.set(stem, surfaces);
      const list = surfaces.get(word) ?? [];
      surfaces.set(word, list);
      list.push({ document, hits });
    }
  };
  yield* takeInSlices(rows, takeRow, ROWS_BEFORE_PAUSE);
  if (added.length > 0) {
    yield buildStatement(
      dialect,
      (bind) =>
        `insert into ${documents} (doc, ${key()}) select c0, ${key('s.')} from ${dialect.jsonRows(bind(JSON.stringify(added)), ['number', 'number'])} as l join ${stale} as s on s.seq = c1`,
    );
  }
  yield* append(dialect, index, postings);
  yield buildStatement(dialect, () => `delete from ${stale} where seq in (select seq from ${batch} as b)`);
  return true;
}

/** The hits of each word in the texts of a row. */
export function hitsOf(texts: readonly unknown[]): ReadonlyMap<string, number[]> {
  const found = new Map<string, number[]>();
  texts.forEach((text, field) => {
    if (text === null || text === undefined) return;
    const words = wordsOf(String(text));
    const length = words.reduce((most, { position }) => Math.max(most, position + 1), 0);
    const positions = Map.groupBy(words, (word) => word.text);
    for (const [word, places] of positions) {
      const hits = found.get(word) ?? [];
      found.set(word, hits);
      const sorted = places.map(({ position }) => position).sort((one, other) => one - other);
      // A code as a whole is one word.
      hits.push(field, length + 1 - (places[0]!.parts ?? 1), sorted.length, ...sorted);
    }
  });
  return found;
}

type Chunk = [stem: string, word: string, first: number, last: number, hex: string];

/** Appends postings to the last chunk of their word, or begins a chunk. */
function* append(
  dialect: SqlDialect,
  { words }: WordIndex,
  postings: ReadonlyMap<string, ReadonlyMap<string, readonly Posting[]>>,
): Steps<void> {
  const lists = [...postings].flatMap(([stem, surfaces]) =>
    [...surfaces].map(([word, list]) => [stem, word, list] as const),
  );
  if (lists.length === 0) return;
  const names = lists.map(([stem, word]) => [stem, word]);
  const found = yield buildStatement(
    dialect,
    (
      bind,
    ) => `select w.stem, w.word, w.first, w.last, w.docs from ${dialect.jsonRows(bind(JSON.stringify(names)), ['text', 'text'])} as l
      join ${words} as w on w.stem = c0 and w.word = c1 and w.first = (select max(first) from ${words} as x where x.stem = c0 and x.word = c1)`,
  );
  const lastChunks = new Map(found.map((row) => [`${row.stem} ${row.word}`, row]));
  const chunks: Chunk[] = [];
  yield* takeInSlices(lists, ([stem, word, list]) => {
    const chunk = lastChunks.get(`${stem} ${word}`);
    const docs = chunk?.docs as Uint8Array | undefined;
    // Unused numbers do not grow, so each list of them is a chunk.
    const isFull = docs === undefined || docs.length > CHUNK_BYTES || word === UNUSED;
    const bytes = Buffer.from(encodePostings(list, isFull ? 0 : Number(chunk!.last)));
    const first = isFull ? list[0]!.document : Number(chunk!.first);
    const all = isFull ? bytes : Buffer.concat([docs, bytes]);
    chunks.push([stem, word, first, list.at(-1)!.document, all.toString('hex')]);
  });
  yield buildStatement(
    dialect,
    (bind) => `insert into ${words} (stem, word, first, last, docs)
      select * from ${dialect.jsonRows(bind(JSON.stringify(chunks)), ['text', 'text', 'number', 'number', 'bytes'])} as l where true
      on conflict (stem, word, first) do update set last = excluded.last, docs = excluded.docs`,
  );
}
