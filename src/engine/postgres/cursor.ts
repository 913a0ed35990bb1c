/**
 * A large result, read through a cursor no faster than the client takes it: memory stays flat, and the count, the page
 * and all its parts are of one moment (repeatable read). The connection is the cursor's own until the last part.
 */
import type { ReservedSQL, SQL } from 'bun';
import type { Row } from '../../collection/value.ts';
import { closing, type Encoding, encodeChunk, opening, type RowForm } from '../../encode/encoding.ts';
import type { ReadPlan } from '../../plan/types.ts';
import { endIn, outputOf } from '../compile/output.ts';
import { compileCount, compileEnd, compileRead } from '../compile/read.ts';
import type { SqlDialect } from '../compile/statement.ts';
import type { ReadResult } from '../engine.ts';
import { query, reserve } from './driver.ts';
import { takeSlot } from './slots.ts';

const ROWS_PER_FETCH = 1_000;

export async function openCursor(
  pool: SQL,
  plan: ReadPlan,
  dialect: SqlDialect,
  encoding: Encoding,
): Promise<ReadResult> {
  const giveBack = await takeSlot(pool);
  const connection = await reserve(pool).catch((error) => {
    giveBack();
    throw error;
  });
  try {
    await connection.unsafe('begin isolation level repeatable read read only');
    const [counted] = await query<{ total: string }>(connection, compileCount(plan, dialect));
    const total = Number(counted?.total ?? 0);
    const returned = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, Math.max(0, total - plan.offset));
    const { end } = compileEnd(plan, dialect);
    const last = end && returned === plan.limit ? await query<Row>(connection, end.statement) : [];
    const output = outputOf(plan.columns, encoding, dialect);
    const read = compileRead(plan, output, dialect);
    await query(connection, { sql: `declare page no scroll cursor for ${read.sql}`, params: read.params });
    return {
      returned,
      ...(plan.count === undefined ? {} : { total }),
      end: endIn(end?.names, last[0]),
      body: new Parts(connection, encoding, output.form, giveBack),
    };
  } catch (error) {
    giveBack();
    await connection.close({ timeout: 0 }).catch(() => undefined);
    throw error;
  }
}

class Parts implements AsyncIterator<Uint8Array, undefined> {
  private readonly encoder = new TextEncoder();
  private started = false;
  private ended = false;

  constructor(
    private readonly connection: ReservedSQL,
    private readonly encoding: Encoding,
    private readonly form: RowForm,
    private readonly giveBack: () => void,
  ) {}

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.ended) return { done: true, value: undefined };
    try {
      const rows: Row[] = await this.connection.unsafe(`fetch ${ROWS_PER_FETCH} from page`);
      const isFirst = !this.started;
      this.started = true;
      let text = (isFirst ? opening(this.encoding) : '') + encodeChunk(rows, this.encoding, this.form, isFirst);
      if (rows.length < ROWS_PER_FETCH) {
        text += closing(this.encoding);
        await this.end();
      }
      return { done: false, value: this.encoder.encode(text) };
    } catch (error) {
      this.ended = true;
      this.giveBack();
      await this.connection.close({ timeout: 0 }).catch(() => undefined);
      throw error;
    }
  }

  /** The client has gone. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.ended) await this.end();
    return { done: true, value: undefined };
  }

  private async end(): Promise<void> {
    this.ended = true;
    try {
      await this.connection.unsafe('commit');
      await this.connection.release();
    } catch {
      await this.connection.close({ timeout: 0 }).catch(() => undefined);
    }
    this.giveBack();
  }
}
