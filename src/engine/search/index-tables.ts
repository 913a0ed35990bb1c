/**
 * The tables of the word index of a collection, the same on both engines:
 *
 * - `documents` numbers the versions of rows. A changed row gets a new number, so numbers only grow.
 * - `words` has the rows of each word (postings.ts) in chunks. Rows are added to the last one, whose `letters` is the
 *   length of the word, unless it is a code. The word '' lists the numbers that are no longer in use;
 *   its chunks are not in order. Its first one is the definition of the index, so that a service with an earlier
 *   declaration or version neither reads nor writes it.
 * - `recent` has the words of the rows that were indexed last, which are added to `words` later (store-words.ts).
 * - `stale` names rows that changed since. Triggers fill it, so that it has the writes of every program. A search
 *   indexes these rows first (index-rows.ts).
 */
import { ApiError } from '../../base/errors.ts';
import { INT4_MAX, MAX_NAME_BYTES } from '../../base/limits/declaration.ts';
import { memoize } from '../../base/memo.ts';
import type { Collection, Field, SearchField } from '../../collection/declaration.ts';
import { boundedName } from '../../collection/derived-name.ts';
import {
  type Bind,
  buildStatement,
  columnList,
  identifier,
  type SqlDialect,
  type Statement,
} from '../sql/statement.ts';

/** The word of the numbers that are no longer in use. */
export const UNUSED = '';
/** The number of the last chunk of a word. The number of any other chunk is that of its last row. */
export const LAST_CHUNK = INT4_MAX;

/** The chunk of the word '' that has the definition of the index. */
const DEFINITION_CHUNK = 0;

export interface WordIndex {
  readonly collection: Collection;
  /** See `indexName`. */
  readonly name: string;
  readonly documents: string;
  readonly words: string;
  readonly recent: string;
  readonly stale: string;
  /** The columns of the numbers of `documents` and of `stale`, beside those of the key. */
  readonly doc: string;
  readonly seq: string;
  readonly key: (prefix?: string) => string;
  readonly sameKey: (one: string, other: string) => string;
  readonly fields: readonly SearchField[];
}

/** The index with the SQL of an engine. */
export interface IndexSql extends WordIndex {
  readonly dialect: SqlDialect;
  readonly build: (make: (bind: Bind) => string) => Statement;
}

export function withSql(dialect: SqlDialect, index: WordIndex): IndexSql {
  return { ...index, dialect, build: (make) => buildStatement(dialect, make) };
}

/** Undefined if the collection has no declared search. */
export const wordIndexOf: (collection: Collection) => WordIndex | undefined = memoize((collection: Collection) => {
  const { key, search } = collection;
  if (search === undefined) return undefined;
  const name = indexName(collection.name);
  const tables = wordTables(name);
  const column = (own: string) => (key.some((field) => field.name.toLowerCase() === own) ? `" ${own}"` : own);
  return {
    collection,
    name,
    documents: identifier(tables.documents),
    words: identifier(tables.words),
    recent: identifier(tables.recent),
    stale: identifier(tables.stale),
    doc: column('doc'),
    seq: column('seq'),
    key: (prefix = '') => columnList(key, prefix),
    sameKey: (one: string, other: string) =>
      key.map((field) => `${one}.${identifier(field.name)} = ${other}.${identifier(field.name)}`).join(' and '),
    fields: search.fields,
  };
});

/** Distinguishes words that have several stems, in texts of several languages. Some words contain a space. */
export function nameOfWord(stem: unknown, word: unknown): string {
  return `${stem}\n${word}`;
}

/** The name of the collection, shortened with a hash if PostgreSQL would cut the names of tables and triggers. */
export function indexName(collection: string): string {
  return boundedName(collection, MAX_NAME_BYTES - triggerName('', 'truncate').length);
}

export function triggerName(index: string, suffix: string): string {
  return `_${index}_search_stale_${suffix}`;
}

/** The names of the tables of an index, which are not served as collections. */
export function wordTables(index: string) {
  const part = (suffix: string) => `_${index}_search_${suffix}`;
  return { documents: part('documents'), words: part('words'), recent: part('recent'), stale: part('stale') };
}

/** Indexes of the words: for prefixes, and for misspellings. */
export function wordListIndexes(words: string): readonly string[] {
  return [`on ${words} (word) where chunk = ${LAST_CHUNK}`, `on ${words} (letters, word, stem) where letters > 0`];
}

/** The reference fields that lead from rows of a collection to the text of others, with the names of the texts. */
export function referencesIn({ fields }: WordIndex): readonly {
  readonly by: string;
  readonly to: string;
  readonly target: string;
  readonly fields: readonly string[];
}[] {
  const byReference = Map.groupBy(
    fields.filter(({ by }) => by !== undefined),
    ({ by }) => by!.field.name,
  );
  return [...byReference].map(([name, some]) => ({
    by: name,
    to: some[0]!.by!.to,
    target: some[0]!.by!.key,
    fields: [...new Set(some.flatMap(textsOf).map(({ name }) => name))],
  }));
}

/** The fields of a text: with a translation, the field is used where there is none. */
export function textsOf({ field, translation }: SearchField): readonly Field[] {
  return translation === undefined ? [field] : [translation.field, field];
}

/** The own fields whose change makes a row stale: texts, references to texts, and the key. */
export function ownFields({ collection, fields }: WordIndex): readonly string[] {
  const used = fields.flatMap((each) => (each.by === undefined ? textsOf(each) : [each.by.field]));
  return [...new Set([...collection.key, ...used].map(({ name }) => name))];
}

/** Describes what the index depends on besides the columns of its tables. */
export function describeIndex({ collection, fields }: WordIndex): string {
  const names = fields.map(({ name, translation }) =>
    translation === undefined ? name : `${name}:${translation.tag}`,
  );
  return `${collection.search!.language} ${names.join(' ')} 7`;
}

/** Stores the definition of a new index. `bytes` prints a literal of hexadecimal digits. */
export function storeDefinition(index: WordIndex, bytes: (hex: string) => string): string {
  const hex = Buffer.from(describeIndex(index)).toString('hex');
  return `insert into ${index.words} (stem, word, chunk, last, docs) values ('${UNUSED}', '${UNUSED}', ${DEFINITION_CHUNK}, 0, ${bytes(hex)})`;
}

/** The chunks of the word '' without the definition. Fails if it is not this one. */
export function withoutDefinition<Row extends Readonly<Record<string, unknown>>>(
  rows: readonly Row[],
  definition: string,
): readonly Row[] {
  const isDefinition = ({ chunk }: Row) => Number(chunk) === DEFINITION_CHUNK;
  const found = rows.find(isDefinition)?.docs as Uint8Array | undefined;
  if (found === undefined || Buffer.from(found).toString() !== definition) throw searchChanged();
  return rows.filter((row) => !isDefinition(row));
}

export function searchChanged(): ApiError {
  return new ApiError('CAT503', 'the index of the search has changed', {
    details: 'Another instance of the service has a newer declaration or version.',
    hint: 'Update this instance and start it again.',
    headers: { 'retry-after': '10' },
  });
}
