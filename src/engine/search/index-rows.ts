/** Indexes stale rows. Runs in a transaction that excludes other runs and sees one state of the data. */
import { stemOf } from '../../text/words/languages.ts';
import { isCode, wordsOf } from '../../text/words/tokens.ts';
import { buildStatement, identifier, type SqlDialect, type Statement } from '../sql/statement.ts';
import { LAST_CHUNK, referencesIn, textsOf, UNUSED, type WordIndex } from './index-tables.ts';
import { PostingList } from './postings.ts';
import { type StepRow, type Steps, takeInSlices } from './steps.ts';

/** The rows of a transaction. Others wait for it. */
export const BATCH_ROWS = 1_000;
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

/** Indexes the next stale rows. Returns false if there are none. */
export function* indexStaleRows(dialect: SqlDialect, index: WordIndex): Steps<boolean> {
  const { collection, documents, words, stale, key, sameKey } = index;
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
    () => `delete from ${documents} where (${key()}) in (select ${key()} from ${batch} as s) returning doc`,
  );
  const added: [number, number][] = [];
  const postings = new Map<string, Map<string, PostingList>>();
  const unused = removed.map(({ doc }) => Number(doc)).sort((one, other) => one - other);
  if (unused.length > 0) {
    const list = new PostingList();
    for (const each of unused) list.add(each, []);
    // They are less than others, so they have a chunk of their own.
    const chunk = { stem: UNUSED, word: UNUSED, chunk: unused[0]!, last: list.last, hex: list.encode(0) };
    yield addChunks(dialect, index, [chunk]);
  }
  const takeRow = (row: StepRow) => {
    if (Number(row.exists) === 0) return;
    document += 1;
    added.push([document, Number(row.seq)]);
    for (const [stem, word, hits] of wordsOfRow(index, row)) {
      entry(entry(postings, stem, newSurfaces), word, newList).add(document, hits);
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

type WordOfRow = readonly [stem: string, word: string, hits: readonly number[]];

/** The words of a row with their hits. In fields of several languages, a word may have several stems. */
export function* wordsOfRow({ fields }: WordIndex, row: StepRow): Generator<WordOfRow> {
  const languages = [...new Set(fields.map(({ language }) => language))];
  for (const [word, hits] of hitsOf(fields.map((_, nth) => row[`t${nth}`]))) {
    const stems = new Set(languages.map((language) => stemOf(language, word)));
    if (stems.size === 1) yield [stemOf(languages[0]!, word), word, hits];
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

const newSurfaces = () => new Map<string, PostingList>();
const newList = () => new PostingList();
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
function* append(
  dialect: SqlDialect,
  index: WordIndex,
  postings: ReadonlyMap<string, ReadonlyMap<string, PostingList>>,
): Steps<void> {
  const { words } = index;
  // In the order of the table, so that neighbours share a page.
  const stems = [...postings].sort(([one], [other]) => (one < other ? -1 : 1));
  const lists = stems.flatMap(([stem, surfaces]) => [...surfaces].map(([word, list]) => [stem, word, list] as const));
  if (lists.length === 0) return;
  const names = lists.map(([stem, word]) => [stem, word]);
  const sameWord = (list: string) => `from ${list} as l join ${words} as w on w.stem = c0 and w.word = c1`;
  const found = yield buildStatement(dialect, (bind) => {
    const list = dialect.jsonRows(bind(JSON.stringify(names)), ['text', 'text']);
    return `select w.word, w.last, length(w.docs) as size ${sameWord(list)} and w.chunk = ${LAST_CHUNK}`;
  });
  const full = new Set(found.filter(({ size }) => Number(size) > CHUNK_BYTES).map(({ word }) => word));
  if (full.size > 0) {
    const closed = names.filter(([, word]) => full.has(word));
    yield buildStatement(dialect, (bind) => {
      const list = dialect.jsonRows(bind(JSON.stringify(closed)), ['text', 'text']);
      return `update ${words} set chunk = last, letters = null from ${list} as l where stem = c0 and word = c1 and chunk = ${LAST_CHUNK}`;
    });
  }
  const lasts = new Map(found.map(({ word, last }) => [word, full.has(word) ? 0 : Number(last)]));
  const added: AddedChunk[] = [];
  yield* takeInSlices(lists, ([stem, word, list]) => {
    added.push({ stem, word, chunk: LAST_CHUNK, last: list.last, hex: list.encode(lasts.get(word) ?? 0) });
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
