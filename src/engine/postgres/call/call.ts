/**
 * Calls a function in one transaction: read only for GET and for functions that do not change data. A large result of a
 * read-only call is streamed; any other result is limited.
 */
import { ApiError } from '../../../base/errors.ts';
import { CURSOR_ROWS, MAX_FUNCTION_ROWS } from '../../../base/limits/engine.ts';
import type { Encoding } from '../../../encode/encoding.ts';
import type { FunctionCall, ReadPlan } from '../../../plan/types.ts';
import type { Explanation, PlanOption, ReadResult } from '../../engine.ts';
import { checkAffected } from '../../shared/write-checks.ts';
import { outputOfRead } from '../../sql/output.ts';
import type { SqlDialect, Statement } from '../../sql/statement.ts';
import type { Connection, Pool } from '../connections/pool.ts';
import { query } from '../driver.ts';
import { isFull, isLoss, isTransient, translateError } from '../errors.ts';
import { openCursor } from '../read/cursor.ts';
import { explainRead, readPage, resultOf } from '../read/reads.ts';
import { boundedRows, isTooLong } from '../read/row-bytes.ts';
import { inTransaction, readOnly } from '../write/transaction.ts';
import { callDialect, planOfRows } from './call-source.ts';
import { chosenAnswer } from './chosen-answer.ts';

export async function callFunction(
  pool: Pool,
  asked: ReadPlan,
  dialect: SqlDialect,
  schema: string,
  encoding: Encoding,
): Promise<ReadResult> {
  const call = asked.source!;
  const { isReadOnly, maxRows } = call;
  const many = call.function.returns?.many === true;
  const maxAffected = maxRows === undefined ? {} : { maxAffected: maxRows };
  const plan = planOfRows(asked);
  const of = callDialect(dialect, call, schema);
  const most = isReadOnly ? CURSOR_ROWS : MAX_FUNCTION_ROWS;
  const limit = Math.min(plan.limit ?? Number.POSITIVE_INFINITY, most + 1);
  const output = outputOfRead(plan, encoding, of);
  const work = async (connection: Connection): Promise<ReadResult> => {
    await query(connection, settingsSql(call));
    const page = await readPage(connection, { ...plan, limit }, boundedRows(plan, output, limit), of, plan.limit);
    if (page.rows.length > most) throw new TooLarge();
    checkAffected({ mustExist: false, singular: many && encoding.singular === true, ...maxAffected }, page.rows.length);
    // A dry run also reports deferred constraints.
    if (call.dryRun) await connection.unsafe('set constraints all immediate');
    return { ...resultOf(plan, page, encoding, output), ...(await chosenAnswer(connection)) };
  };
  try {
    if (isReadOnly) return await readOnly(pool, work);
    return await inTransaction(pool, work, !call.dryRun, 'write', pool.options.querySeconds * 1000);
  } catch (error) {
    if (!(error instanceof TooLarge) && !isTooLong(error)) throw callError(error);
    if (!isReadOnly) throw resultTooLarge();
    return openCursor(pool, plan, of, encoding, settingsSql(call));
  }
}

/** With `analyze` the function runs, and changes nothing. */
export function explainCall(
  pool: Pool,
  plan: ReadPlan,
  call: FunctionCall,
  dialect: SqlDialect,
  schema: string,
  options: readonly PlanOption[],
  format: 'json' | 'text',
): Promise<Explanation> {
  const explain = (connection: Connection) =>
    explainRead(connection, planOfRows(plan), callDialect(dialect, call, schema), options, format);
  return readOnly(pool, explain);
}

class TooLarge extends Error {}

function settingsSql({ settings }: FunctionCall): Statement {
  const pairs = Object.entries(settings);
  const calls = pairs.map((_, index) => `set_config($${2 * index + 1}::text, $${2 * index + 2}::text, true)`);
  return { sql: `select ${calls.join(', ')}`, params: pairs.flat() };
}

/** The errors of a function concern no collection. */
function callError(error: unknown): unknown {
  return isLoss(error) || isFull(error) || isTransient(error) ? error : translateError(error);
}

function resultTooLarge(): ApiError {
  return new ApiError(
    '54000',
    `the result of a function that may change data has more than ${MAX_FUNCTION_ROWS} rows or 8 MiB`,
    {
      details: 'Nothing was changed.',
      hint: 'Use limit, or call a stable function by GET.',
    },
  );
}
