/** Reads: a small result in one statement, a large one streamed through a cursor; and query plans. */
import { CURSOR_ROWS } from '../../../base/limits/engine.ts';
import type { Row } from '../../../collection/value.ts';
import { type Encoding, encodeRows } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { Explanation, PlanOption, ReadResult } from '../../engine.ts';
import { type Output, outputOfRead, pageEnd } from '../../sql/output.ts';
import { compileCount, compileRead } from '../../sql/read.ts';
import { renumberParameters, type SqlDialect, withDefinitions } from '../../sql/statement.ts';
import type { Pool } from '../connections/pool.ts';
import { query, type Runner } from '../driver.ts';
import { readOnly } from '../write/transaction.ts';
import { openCursor } from './cursor.ts';
import { boundedRows, isTooLong, recordLongRow } from './row-bytes.ts';

/**
 * Not async: each additional promise would cost every cheap read. `isQuick` is `guarded` for a read that calls
 * functions of a row: in a read-only transaction they cannot change data.
 */
export function readList(
  pool: Pool,
  plan: ReadPlan,
  dialect: SqlDialect,
  encoding: Encoding,
  isQuick: boolean | 'guarded' | Promise<boolean>,
): Promise<ReadResult> {
  if (isQuick instanceof Promise) {
    return isQuick.then((found) => readList(pool, plan, dialect, encoding, found));
  }
  const limit = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, CURSOR_ROWS + 1);
  const output = outputOfRead(plan, encoding, dialect);
  const bounded = boundedRows(plan, output, limit);
  const work = (connection: Runner) => readPage(connection, { ...plan, limit }, bounded, dialect, plan.limit);
  const inParts = () => openCursor(pool, plan, dialect, encoding);
  const found =
    isQuick === 'guarded' ? readOnly(pool, work) : isQuick ? work(pool) : pool.dedicated('costly read', work);
  return found.then(
    (found) => (found.rows.length > CURSOR_ROWS ? inParts() : resultOf(plan, found, encoding, output)),
    (error) => {
      if (!isTooLong(error)) throw error;
      return recordLongRow(plan, bounded) ? readList(pool, plan, dialect, encoding, isQuick) : inParts();
    },
  );
}

/** `askedLimit` is the client's: without a page, the count is that of the rows. */
export function readPage(
  connection: Runner,
  plan: ReadPlan,
  output: Output,
  dialect: SqlDialect,
  askedLimit: number | undefined,
): Promise<Page> {
  const isWhole = plan.offset === 0 && askedLimit === undefined;
  const read = plan.count === undefined || isWhole ? readRows : readCounted;
  return read(connection, plan, output, dialect);
}

export function resultOf(plan: ReadPlan, { rows, total }: Page, encoding: Encoding, output: Output): ReadResult {
  return {
    returned: rows.length,
    body: encodeRows(rows, encoding, output.form),
    ...(plan.count === undefined ? {} : { total: total ?? rows.length }),
    end: pageEnd(plan, output, rows.at(-1)),
  };
}

export interface Page {
  readonly rows: readonly Row[];
  readonly total?: number;
}

function readRows(connection: Runner, plan: ReadPlan, output: Output, dialect: SqlDialect): Promise<Page> {
  // The driver's result is an array with extra properties, which makes JSON.stringify three times as slow.
  return query<Row>(connection, compileRead(plan, output, dialect)).then((rows) => ({ rows: [...rows] }));
}

/** The page and the count in one statement, hence one snapshot. The count is present even for an empty page. */
async function readCounted(connection: Runner, plan: ReadPlan, output: Output, dialect: SqlDialect): Promise<Page> {
  const { sources: _, ...plain } = dialect;
  const read = compileRead(plan, output, plain);
  const count = compileCount(plan, plain);
  const sql = `select page.*, counted.total::float8 as " total count" from (${renumberParameters(count, read, '$')}) as counted left join (select rows.*, true as " has row" from (${read.sql}) as rows) as page on true`;
  const params = [...read.params, ...count.params];
  const all = await query<Row>(connection, withDefinitions(dialect, { sql, params }));
  const total = all[0]![' total count'] as number;
  const rows = all
    .filter((row) => row[' has row'] === true)
    .map(({ ' has row': _, ' total count': __, ...row }) => row);
  return { rows, total };
}

/** The query plan of a read, as JSON or as text. With `analyze` PostgreSQL executes the read. */
export async function explainRead(
  runner: Runner,
  plan: ReadPlan,
  dialect: SqlDialect,
  options: readonly PlanOption[],
  format: 'json' | 'text',
): Promise<Explanation> {
  const { sql, params } = compileRead(plan, { form: 'json', stripNulls: false }, dialect);
  const explained = `explain (${[`format ${format}`, ...options].join(', ')}) ${sql}`;
  const lines = (await query<{ 'QUERY PLAN': unknown }>(runner, { sql: explained, params })).map(
    (line) => line['QUERY PLAN'],
  );
  return { options, plan: format === 'json' ? lines[0] : [sql, ...lines].join('\n') };
}
