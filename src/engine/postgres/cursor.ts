/**
 * A large result, read through a cursor no faster than the client takes it: memory stays flat, and the count, the page
 * and all its parts are of one moment (repeatable read). The connection is the cursor's own until the last part.
 */
import type { ReservedSQL, SQL } from 'bun';
import type { Row, Value } from '../../collection/value.ts';
import { closing, type Encoding, encodeChunk, opening } from '../../encode/encoding.ts';
import { keyValues, planPageEnd } from '../../plan/page-end.ts';
import type { ReadPlan, Shape } from '../../plan/types.ts';
import { compileCount, compileRead } from '../compile/read.ts';
import type { SqlDialect } from '../compile/statement.ts';
import type { ReadResult } from '../engine.ts';
import { keptNames, ownNames } from './column-names.ts';
import { query, reserve } from './driver.ts';
import { takeSlot } from './slots.ts';

const ROWS_PER_FETCH = 1_000;

export async function openCursor(
  pool: SQL,
  table: string,
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
    const [counted] = await query<{ total: string }>(connection, compileCount(table, plan, dialect));
    const total = Number(counted?.total ?? 0);
    const returned = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, Math.max(0, total - plan.offset));
    const lastKeys = returned === plan.limit ? await endOfPage(connection, table, plan, dialect) : undefined;
    const read = compileRead(table, keptNames(plan), dialect);
    await query(connection, { sql: `declare page no scroll cursor for ${read.sql}`, params: read.params });
    return {
      kind: 'parts',
      returned,
      ...(plan.count === undefined ? {} : { total }),
      lastKeys,
      parts: new Parts(connection, plan, encoding, giveBack),
    };
  } catch (error) {
    giveBack();
    await connection.close({ timeout: 0 }).catch(() => undefined);
    throw error;
  }
}

async function endOfPage(
  connection: ReservedSQL,
  table: string,
  plan: ReadPlan,
  dialect: SqlDialect,
): Promise<readonly Value[] | undefined> {
  const end = planPageEnd(plan);
  if (end === undefined) return undefined;
  const found = await query<Row>(connection, compileRead(table, keptNames(end), dialect));
  const [row] = ownNames(end, found);
  return row && keyValues(end.columns, row);
}

class Parts implements AsyncIterator<Uint8Array, undefined> {
  private readonly encoder = new TextEncoder();
  private started = false;
  private ended = false;

  constructor(
    private readonly connection: ReservedSQL,
    private readonly shape: Shape,
    private readonly encoding: Encoding,
    private readonly giveBack: () => void,
  ) {}

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.ended) return { done: true, value: undefined };
    try {
      const found: Row[] = await this.connection.unsafe(`fetch ${ROWS_PER_FETCH} from page`);
      const rows = ownNames(this.shape, found);
      const isFirst = !this.started;
      this.started = true;
      let text = (isFirst ? opening(this.encoding) : '') + encodeChunk(rows, this.encoding, isFirst);
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
