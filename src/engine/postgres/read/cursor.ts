/**
 * Streams a large result through a cursor, no faster than the client reads. Memory stays flat, and the count, the page
 * and all its chunks come from one snapshot (repeatable read). The cursor owns its connection until the last chunk, or
 * until others wait for one and the client has stalled.
 */
import { PART_LENGTH, STALLED_CURSOR_SECONDS } from '../../../base/limits/engine.ts';
import type { Collection } from '../../../collection/declaration.ts';
import type { Row } from '../../../collection/value.ts';
import { closing, type Encoding, encodeChunk, firstPart, opening, type RowForm } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ReadResult } from '../../engine.ts';
import { StreamedRead } from '../../shared/streamed-read.ts';
import { compileSummary } from '../../sql/facets.ts';
import { type Output, outputOf, pageEndIn } from '../../sql/output.ts';
import { compileCount, compilePageEnd, compileRead } from '../../sql/read.ts';
import { boundRow, maxRowBytes, rowTooLong } from '../../sql/row-size.ts';
import { identifier, quoteText, type SqlDialect, type Statement } from '../../sql/statement.ts';
import { chosenAnswer } from '../call/chosen-answer.ts';
import type { Connection, Pool } from '../connections/pool.ts';
import { query, type Runner, WAITING_FOR_A_CLIENT } from '../driver.ts';
import { ONE_SNAPSHOT } from '../write/transaction.ts';
import { isTooLong } from './row-bytes.ts';

const ROWS_PER_FETCH = 1_000;
/** Limits a fetch of long rows, counted as if every row had its maximum size. It grows while rows are short. */
const BYTES_PER_FETCH = 8 * 1024 * 1024;
const MAX_LONG_ROWS = 16;

/** A read with the SQL of its database and the form of its answer. */
export interface PlannedRead {
  readonly plan: ReadPlan;
  readonly dialect: SqlDialect;
  readonly encoding: Encoding;
}

/** `planned` may find the plan in the snapshot of the cursor. */
export async function openCursor(
  pool: Pool,
  planned: PlannedRead | ((connection: Runner) => Promise<PlannedRead>),
  settings?: Statement,
): Promise<ReadResult> {
  const connection = await pool.reserve('large result');
  try {
    const begin = pool.begin(ONE_SNAPSHOT);
    await connection.unsafe(`${begin}; ${WAITING_FOR_A_CLIENT}`);
    if (settings !== undefined) await query(connection, settings);
    const { plan, dialect, encoding } = typeof planned === 'function' ? await planned(connection) : planned;
    const [counted] = await query<{ total: string }>(connection, compileCount(plan, dialect));
    const total = Number(counted?.total ?? 0);
    const returned = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, Math.max(0, total - plan.offset));
    const summary = await readSummary(connection, compileSummary(plan, dialect));
    const { end } = compilePageEnd(plan, dialect);
    const last = end && returned === plan.limit ? await query<Row>(connection, end.statement) : [];
    const isLong = await hasLongValues(connection, plan.from);
    const defaultOutput = outputOf(plan.columns, encoding, dialect);
    // JSON.stringify would block the event loop on long texts, so the database builds their JSON.
    const output: Output =
      isLong && defaultOutput.form === 'plain' ? { ...defaultOutput, form: 'json' } : defaultOutput;
    const read = compileRead(plan, boundRow(plan, output), dialect);
    const size = isLong
      ? sizeForLongRows(maxRowBytes(plan.columns, output))
      : { rows: ROWS_PER_FETCH, most: ROWS_PER_FETCH };
    await query(connection, { sql: `declare page no scroll cursor for ${read.sql}`, params: read.params });
    const chosen = await chosenAnswer(connection);
    const cursor = { isOpen: true };
    const parts = readParts(connection, cursor, encoding, output.form, size);
    // An immediate error can still get its own status.
    await parts.next();
    const body = new StreamedRead({
      next: async () => (await parts.next()).value,
      isAwaited: () => cursor.isOpen && pool.isAwaited('large result'),
      stalledSeconds: STALLED_CURSOR_SECONDS,
      ended: () => parts.return(undefined),
    });
    const found = { returned, ...(plan.count === undefined ? {} : { total }), ...summary };
    return { ...found, ...chosen, end: pageEndIn(end?.names, last[0]), body };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function readSummary(connection: Runner, statement: Statement | undefined): Promise<{ summary?: string }> {
  if (statement === undefined) return {};
  try {
    const [row] = await query<{ summary: string }>(connection, statement);
    return { summary: row!.summary };
  } catch (error) {
    throw isTooLong(error) ? rowTooLong() : error;
  }
}

/**
 * PostgreSQL stores values beyond a few kilobytes out of line, in a TOAST table. Partitions and the log of changes,
 * which is not a table of this name, are not checked.
 */
async function hasLongValues(connection: Runner, { name }: Collection): Promise<boolean> {
  const sql = `select relkind <> 'r' or coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) > 0 as long from pg_class where oid = to_regclass(${quoteText(identifier(name))})`;
  const [firstRow] = await query<{ long: boolean }>(connection, sql);
  return firstRow?.long !== false;
}

interface FetchSize {
  readonly rows: number;
  readonly most: number;
}

function sizeForLongRows(bytesOfRow: number): FetchSize {
  const rows = Math.max(1, Math.floor(BYTES_PER_FETCH / bytesOfRow));
  return { rows: Math.min(rows, ROWS_PER_FETCH), most: Math.max(rows, MAX_LONG_ROWS) };
}

/** The encoded rows of the cursor. The first part is empty, and comes after the first rows were fetched. */
async function* readParts(
  connection: Connection,
  cursor: { isOpen: boolean },
  encoding: Encoding,
  form: RowForm,
  size: FetchSize,
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  let count = size.rows;
  const end = async (close = false) => {
    if (cursor.isOpen && close) await connection.close();
    else if (cursor.isOpen)
      await connection.unsafe('commit').then(
        () => connection.release(),
        () => connection.close(),
      );
    cursor.isOpen = false;
  };
  const fetchText = async (isFirst: boolean): Promise<string> => {
    const rows = await connection.unsafe<Row[]>(`fetch ${count} from page`);
    const text = (isFirst ? opening(encoding) : '') + encodeChunk(rows, encoding, form, isFirst);
    connection.recordLength(text.length);
    const isLast = rows.length < count;
    count = text.length < PART_LENGTH ? Math.min(count * 2, size.most) : size.rows;
    if (!isLast) return text;
    await end();
    return text + closing(encoding);
  };
  try {
    let rest = await fetchText(true);
    yield new Uint8Array();
    while (cursor.isOpen || rest !== '') {
      if (rest === '') rest = await fetchText(false);
      const part = firstPart(rest);
      rest = rest.slice(part.length);
      yield encoder.encode(part);
    }
  } catch (error) {
    await end(true);
    throw isTooLong(error) ? rowTooLong() : error;
  } finally {
    // The client disconnected.
    await end();
  }
}
