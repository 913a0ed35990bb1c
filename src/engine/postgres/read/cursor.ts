/**
 * Streams a large result through a cursor, no faster than the client reads. Memory stays flat, and the count, the page
 * and all its chunks come from one snapshot (repeatable read). The cursor owns its connection until the last chunk.
 */
import { PART_LENGTH } from '../../../base/limits/engine.ts';
import type { Collection } from '../../../collection/declaration.ts';
import type { Row } from '../../../collection/value.ts';
import { closing, type Encoding, encodeChunk, firstPart, opening, type RowForm } from '../../../encode/encoding.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ReadResult } from '../../engine.ts';
import { compileSummary } from '../../sql/facets.ts';
import { type Output, outputOf, pageEndIn } from '../../sql/output.ts';
import { compileCount, compilePageEnd, compileRead } from '../../sql/read.ts';
import { boundRow, maxRowBytes, rowTooLong } from '../../sql/row-size.ts';
import { identifier, quoteText, type SqlDialect, type Statement } from '../../sql/statement.ts';
import type { Connection, Pool } from '../connections/pool.ts';
import { query, type Runner, WAITING_FOR_A_CLIENT } from '../driver.ts';
import { ONE_SNAPSHOT } from '../write/transaction.ts';
import { isTooLong } from './row-bytes.ts';

const ROWS_PER_FETCH = 1_000;
/** Limits a fetch of long rows, counted as if every row had its maximum size. It grows while rows are short. */
const BYTES_PER_FETCH = 8 * 1024 * 1024;
const MAX_LONG_ROWS = 16;

/** `planned` may find the plan in the snapshot of the cursor. */
export async function openCursor(
  pool: Pool,
  planned: ReadPlan | ((connection: Runner) => Promise<ReadPlan>),
  dialect: SqlDialect,
  encoding: Encoding,
  settings?: Statement,
): Promise<ReadResult> {
  const connection = await pool.reserve('large result');
  try {
    const begin = pool.begin(ONE_SNAPSHOT);
    await connection.unsafe(`${begin}; ${WAITING_FOR_A_CLIENT}`);
    if (settings !== undefined) await query(connection, settings);
    const plan = typeof planned === 'function' ? await planned(connection) : planned;
    const [counted] = await query<{ total: string }>(connection, compileCount(plan, dialect));
    const total = Number(counted?.total ?? 0);
    const returned = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, Math.max(0, total - plan.offset));
    const summary = await readSummary(connection, plan, dialect);
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
    const body = new CursorBody(connection, encoding, output.form, size);
    // An immediate error can still get its own status.
    await body.begin();
    const found = { returned, ...(plan.count === undefined ? {} : { total }), ...summary };
    return { ...found, end: pageEndIn(end?.names, last[0]), body };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function readSummary(
  connection: Runner,
  plan: ReadPlan,
  dialect: SqlDialect,
): Promise<Pick<ReadResult, 'summary'>> {
  const statement = compileSummary(plan, dialect);
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

class CursorBody implements AsyncIterator<Uint8Array, undefined> {
  private readonly encoder = new TextEncoder();
  /** Encoded but unsent text. */
  private rest = '';
  private started = false;
  private ended = false;
  private count: number;

  constructor(
    private readonly connection: Connection,
    private readonly encoding: Encoding,
    private readonly form: RowForm,
    private readonly size: FetchSize,
  ) {
    this.count = size.rows;
  }

  async begin(): Promise<void> {
    this.rest = await this.fetch();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.rest === '') {
      if (this.ended) return { done: true, value: undefined };
      this.rest = await this.fetch();
    }
    const part = firstPart(this.rest);
    this.rest = this.rest.slice(part.length);
    return { done: false, value: this.encoder.encode(part) };
  }

  private async fetch(): Promise<string> {
    try {
      const { count } = this;
      const rows = await this.connection.unsafe<Row[]>(`fetch ${count} from page`);
      const isFirst = !this.started;
      this.started = true;
      let text = (isFirst ? opening(this.encoding) : '') + encodeChunk(rows, this.encoding, this.form, isFirst);
      this.connection.recordLength(text.length);
      this.count = text.length < PART_LENGTH ? Math.min(count * 2, this.size.most) : this.size.rows;
      if (rows.length < count) {
        text += closing(this.encoding);
        await this.end();
      }
      return text;
    } catch (error) {
      this.ended = true;
      await this.connection.close();
      throw isTooLong(error) ? rowTooLong() : error;
    }
  }

  /** The client disconnected. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.ended) await this.end();
    return { done: true, value: undefined };
  }

  private async end(): Promise<void> {
    this.ended = true;
    await this.connection.unsafe('commit').then(
      () => this.connection.release(),
      () => this.connection.close(),
    );
  }
}
