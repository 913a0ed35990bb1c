/**
 * Streams a large result through a cursor, no faster than the client reads. Memory stays flat, and the count, the page
 * and all its chunks come from one snapshot (repeatable read). The cursor owns its connection until the last chunk.
 */
import type { ReservedSQL, SQL } from 'bun';
import { PART_LENGTH } from '../../../base/limits.ts';
import type { Collection } from '../../../collection/declaration.ts';
import type { Row } from '../../../collection/value.ts';
import { closing, type Encoding, encodeChunk, opening, type RowForm } from '../../../encode/encoding.ts';
import { firstPart } from '../../../encode/first-part.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { ReadResult } from '../../engine.ts';
import { type Output, outputOf, pageEndIn } from '../../sql/output.ts';
import { compileCount, compilePageEnd, compileRead } from '../../sql/read.ts';
import { boundRow, maxRowBytes, rowTooLong } from '../../sql/row-size.ts';
import { identifier, type SqlDialect } from '../../sql/statement.ts';
import { takeSlot } from '../connections/connection-limits.ts';
import { recordLength, release } from '../connections/connection-memory.ts';
import { query, quoteText, type Runner, reserve, run, WAITING_FOR_A_CLIENT } from '../driver.ts';
import { isTooLong } from './row-bytes.ts';

const ROWS_PER_FETCH = 1_000;
/**
 * With long rows, a fetch is limited to this many bytes of the largest possible row, and grows while rows are short.
 */
const BYTES_PER_FETCH = 8 * 1024 * 1024;
const MOST_LONG_ROWS = 16;

export async function openCursor(
  pool: SQL,
  plan: ReadPlan,
  dialect: SqlDialect,
  encoding: Encoding,
): Promise<ReadResult> {
  const giveBack = await takeSlot(pool, 'large result');
  const connection = await reserve(pool).catch((error) => {
    giveBack();
    throw error;
  });
  try {
    await run(connection, `begin isolation level repeatable read read only; ${WAITING_FOR_A_CLIENT}`);
    const [counted] = await query<{ total: string }>(connection, compileCount(plan, dialect));
    const total = Number(counted?.total ?? 0);
    const returned = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, Math.max(0, total - plan.offset));
    const { end } = compilePageEnd(plan, dialect);
    const last = end && returned === plan.limit ? await query<Row>(connection, end.statement) : [];
    const isLong = await hasLongValues(connection, plan.from);
    const usual = outputOf(plan.columns, encoding, dialect);
    // JSON.stringify would block the event loop on long texts, so the database builds their JSON.
    const output: Output = isLong && usual.form === 'plain' ? { ...usual, form: 'json' } : usual;
    const read = compileRead(plan, boundRow(plan, output), dialect);
    const size = isLong ? longRows(maxRowBytes(plan.columns, output)) : { rows: ROWS_PER_FETCH, most: ROWS_PER_FETCH };
    await query(connection, { sql: `declare page no scroll cursor for ${read.sql}`, params: read.params });
    const body = new Parts(connection, encoding, output.form, size, giveBack);
    // An immediate error can still get its own status.
    await body.begin();
    return { returned, ...(plan.count === undefined ? {} : { total }), end: pageEndIn(end?.names, last[0]), body };
  } catch (error) {
    giveBack();
    await connection.close({ timeout: 0 }).catch(() => undefined);
    throw error;
  }
}

/** PostgreSQL stores values beyond a few kilobytes out of line, in a TOAST table. Partitions are not checked. */
async function hasLongValues(connection: Runner, { name }: Collection): Promise<boolean> {
  const [found] = await query<{ long: boolean }>(connection, {
    sql: `select relkind <> 'r' or coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0) > 0 as long from pg_class where oid = ${quoteText(identifier(name))}::regclass`,
    params: [],
  });
  return found?.long !== false;
}

interface FetchSize {
  readonly rows: number;
  readonly most: number;
}

function longRows(bytesOfRow: number): FetchSize {
  const rows = Math.max(1, Math.floor(BYTES_PER_FETCH / bytesOfRow));
  return { rows: Math.min(rows, ROWS_PER_FETCH), most: Math.max(rows, MOST_LONG_ROWS) };
}

class Parts implements AsyncIterator<Uint8Array, undefined> {
  private readonly encoder = new TextEncoder();
  /** Encoded but unsent text. */
  private rest = '';
  private started = false;
  private ended = false;
  private count: number;

  constructor(
    private readonly connection: ReservedSQL,
    private readonly encoding: Encoding,
    private readonly form: RowForm,
    private readonly size: FetchSize,
    private readonly giveBack: () => void,
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
      const rows = await run<Row[]>(this.connection, `fetch ${count} from page`);
      const isFirst = !this.started;
      this.started = true;
      let text = (isFirst ? opening(this.encoding) : '') + encodeChunk(rows, this.encoding, this.form, isFirst);
      recordLength(this.connection, text.length);
      this.count = text.length < PART_LENGTH ? Math.min(count * 2, this.size.most) : this.size.rows;
      if (rows.length < count) {
        text += closing(this.encoding);
        await this.end();
      }
      return text;
    } catch (error) {
      this.ended = true;
      this.giveBack();
      await this.connection.close({ timeout: 0 }).catch(() => undefined);
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
    try {
      await run(this.connection, 'commit');
      await release(this.connection);
    } catch {
      await this.connection.close({ timeout: 0 }).catch(() => undefined);
    }
    this.giveBack();
  }
}
