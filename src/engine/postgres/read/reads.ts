/** Reads: a small result in one statement, a large one streamed through a cursor; and query plans. */
import { defined } from '../../../base/defined.ts';
import { CURSOR_ROWS } from '../../../base/limits/engine.ts';
import type { Row } from '../../../collection/value.ts';
import { type Encoding, encodeRows, ROW } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { Explanation, PlanOption, ReadResult } from '../../engine.ts';
import { compileSummary } from '../../sql/facets.ts';
import { type Output, outputOfRead, pageEnd } from '../../sql/output.ts';
import { compileCount, compileRead } from '../../sql/read.ts';
import {
  identifier,
  renumberParameters,
  type SqlDialect,
  type Statement,
  withDefinitions,
} from '../../sql/statement.ts';
import { compileCached } from '../../sql/statement-cache.ts';
import { chosenAnswer } from '../call/chosen-answer.ts';
import type { Pool } from '../connections/pool.ts';
import { query, type Runner } from '../driver.ts';
import { inTransaction, ONE_SNAPSHOT, readOnly } from '../write/transaction.ts';
import { openCursor, type PlannedRead } from './cursor.ts';
import { compileIsLarge, pagedTree, withLargeTree } from './large-trees.ts';
import { boundedRows, isTooLong, recordLongRow } from './row-bytes.ts';

/**
 * A read in one statement of at most `most` rows; undefined if there are more. An aggregate that prints rows gets all
 * of them. Not async: each additional promise would cost every cheap read.
 */
export function firstPage({ plan, dialect, encoding }: PlannedRead, most = CURSOR_ROWS) {
  const output = outputOfRead(plan, encoding, dialect);
  const limit = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, output.handler === undefined ? most + 1 : MAX_ROWS);
  const bounded = boundedRows(plan, output, limit);
  const page = { plan: { ...plan, limit }, dialect, output: bounded };
  // Without a page, the count is that of the rows.
  const isCounted = plan.count !== undefined && (plan.offset > 0 || plan.limit !== undefined);
  const readPage = isCounted || plan.facets !== undefined ? readCounted : readRows;
  const read = (connection: Runner): Promise<ReadResult | undefined> =>
    readPage(connection, page, isCounted).then((found) =>
      found.rows.length > most ? undefined : resultOf(plan, found, encoding, output),
    );
  return { bounded, read };
}

/** `isQuick` is `guarded` for a read that calls functions of a row: in a read-only transaction they change no data. */
export function readList(
  pool: Pool,
  planned: PlannedRead,
  isQuick: boolean | 'guarded' | Promise<boolean>,
): Promise<ReadResult> {
  if (isQuick instanceof Promise) return isQuick.then((found) => readList(pool, planned, found));
  const { bounded, read } = firstPage(planned);
  const readInSession = async (connection: Runner): Promise<ReadResult | undefined> => {
    // Both are sent at once.
    const [result, chosen] = await Promise.all([read(connection), chosenAnswer(connection)]);
    return result && { ...result, ...chosen };
  };
  const inParts = () => openCursor(pool, planned);
  const found =
    pool.session !== undefined
      ? readOnly(pool, readInSession, isQuick === true ? 'read' : 'costly read')
      : isQuick === 'guarded'
        ? readOnly(pool, read)
        : isQuick
          ? read(pool)
          : pool.dedicated(planned.plan.isLookup === true ? 'lookup' : 'costly read', read);
  return found.then(
    (result) => result ?? inParts(),
    (error) => {
      if (!isTooLong(error)) throw error;
      return recordLongRow(planned.plan, bounded) ? readList(pool, planned, isQuick) : inParts();
    },
  );
}

/** Finds and reads the rows of a search in one snapshot. `rank` replaces the search by its rows. */
export async function readSearch(pool: Pool, rank: (on: Runner) => Promise<PlannedRead>): Promise<ReadResult> {
  const work = async (connection: Runner) => firstPage(await rank(connection)).read(connection);
  const found = await inTransaction(pool, work, false, 'search', undefined, ONE_SNAPSHOT).catch((error) => {
    if (!isTooLong(error)) throw error;
  });
  return found ?? openCursor(pool, rank);
}

function resultOf(plan: ReadPlan, page: Page, encoding: Encoding, output: Output): ReadResult {
  const { rows, total, summary } = page;
  const [printed] = output.handler === undefined ? [] : (rows as readonly PrintedRows[]);
  const returned = printed?.returned ?? rows.length;
  return {
    ...defined({ summary }),
    returned,
    body: printed?.body ?? encodeRows(rows, encoding, output.form),
    ...(plan.count === undefined ? {} : { total: total ?? returned }),
    end: pageEnd(plan, output, rows.at(-1)),
  };
}

interface PageRead extends Pick<PlannedRead, 'plan' | 'dialect'> {
  readonly output: Output;
}

interface Page {
  readonly rows: readonly Row[];
  readonly total?: number;
  readonly summary?: string;
}

/** An aggregate of the database gets all rows at once. */
const MAX_ROWS = Number.MAX_SAFE_INTEGER;

interface PrintedRows extends Row {
  readonly body: string;
  readonly returned: number;
}

function printed(rows: Statement, { handler }: Output): Statement {
  if (handler === undefined) return rows;
  const { aggregate, table, isBinary } = handler;
  const value = `${aggregate}(${table === undefined ? '" rows"' : `(" rows".*)::${table}`})`;
  const text = isBinary ? `encode(${value}, 'hex')` : `(${value})::text`;
  const sql = `select coalesce(${text}, '') as body, count(*)::int4 as returned from (${rows.sql}) as " rows"`;
  return { ...rows, sql };
}

function readRows(connection: Runner, { plan, output, dialect }: PageRead): Promise<Page> {
  // The driver's result is an array with extra properties, which makes JSON.stringify three times as slow.
  const read = (chosen: ReadPlan) => {
    const statement = printed(compileCached(chosen, output, dialect), output);
    return query<Row>(connection, statement).then((rows) => ({ rows: [...rows] }));
  };
  const tree = pagedTree(plan);
  if (tree === undefined) return read(plan);
  return query<Row>(connection, compileIsLarge(tree, dialect)).then(({ length }) =>
    read(length > 0 ? withLargeTree(plan, tree) : plan),
  );
}

/**
 * The page, its count and its summary in one statement, hence one snapshot. They are present even for an empty page;
 * the summary, which may be long, only in the first row.
 */
async function readCounted(connection: Runner, { plan, output, dialect }: PageRead, isCounted: boolean): Promise<Page> {
  const { sources: _, ...plain } = dialect;
  const read = printed(compileRead(plan, output, plain), output);
  const count = isCounted ? compileCount(plan, plain) : NO_COUNT;
  const summary = compileSummary(plan, plain) ?? NO_SUMMARY;
  const earlier = { sql: '', params: [...read.params, ...count.params] };
  const page = `select rows.*, row_number() over () as " number" from (${read.sql}) as rows`;
  const sql = `select page.*, counted.total::float8 as " total count", case when page." number" > 1 then null else summarized.summary end as " summary" from (${renumberParameters(count, read, '$')}) as counted cross join (${renumberParameters(summary, earlier, '$')}) as summarized left join (${page}) as page on true`;
  const params = [...earlier.params, ...summary.params];
  const all = await query<Row>(connection, withDefinitions(dialect, { sql, params }));
  const { ' total count': total, ' summary': text } = all[0] as { ' total count': number; ' summary': string | null };
  const rows = all
    .filter((row) => row[' number'] !== null)
    .map(({ ' number': _, ' total count': __, ' summary': ___, ...row }) => row);
  return { rows, ...(isCounted && { total }), ...(text !== null && { summary: text }) };
}

const NO_COUNT: Statement = { sql: 'select null::int8 as total', params: [] };
const NO_SUMMARY: Statement = { sql: 'select null::text as summary', params: [] };

/** The parts and the format of a query plan. */
export type PlanForm = readonly [options: readonly PlanOption[], format: 'json' | 'text'];

/** The query plan of a read, as JSON or as text. With `analyze` PostgreSQL executes the read. */
export function explainRead(
  runner: Runner,
  plan: ReadPlan,
  dialect: SqlDialect,
  ...how: PlanForm
): Promise<Explanation> {
  const { sql, params } = compileRead(plan, { form: 'json', stripNulls: false }, dialect);
  // One text, as in PostgREST: clients look for the node of its aggregate.
  const list = `select string_agg(${identifier(ROW)}, ',') from (${sql}) as rows`;
  return explainStatement(runner, { sql: list, params }, ...how);
}

export async function explainStatement(
  runner: Runner,
  { sql, params }: Statement,
  ...[options, format]: PlanForm
): Promise<Explanation> {
  const explained = `explain (${[`format ${format}`, ...options].join(', ')}) ${sql}`;
  const lines = (await query<{ 'QUERY PLAN': unknown }>(runner, { sql: explained, params })).map(
    (line) => line['QUERY PLAN'],
  );
  // Embedded tables have their names, without the depth of the embedding.
  const text = [sql, ...lines].join('\n').replaceAll(/" \d+ (\w+)"/g, '$1');
  return { options, plan: format === 'json' ? lines[0] : text };
}
