/**
 * Calls a function in one transaction: read only for GET and for functions that do not change data. A large result of a
 * read-only call is streamed; any other result is limited.
 */
import { ApiError } from '../../../base/errors.ts';
import { CURSOR_ROWS, MAX_FUNCTION_ROWS } from '../../../base/limits/engine.ts';
import type { DatabaseFunction, Parameter } from '../../../collection/declaration.ts';
import { VALUE_COLUMN } from '../../../collection/routines.ts';
import { printArrayLiteral } from '../../../collection/types/array/array-literal.ts';
import type { FunctionCall, ReadPlan } from '../../../plan/types.ts';
import type { ReadResult } from '../../engine.ts';
import { checkAffected } from '../../shared/write-checks.ts';
import { withSources } from '../../sql/log-source.ts';
import { type Bind, columnList, identifier, type SqlDialect, type Statement } from '../../sql/statement.ts';
import type { Connection, Pool } from '../connections/pool.ts';
import { TEXT } from '../dialect.ts';
import { query } from '../driver.ts';
import { isFull, isLoss, isTransient, translateError } from '../errors.ts';
import { openCursor, type PlannedRead } from '../read/cursor.ts';
import { explainRead, firstPage, type PlanForm } from '../read/reads.ts';
import { isTooLong } from '../read/row-bytes.ts';
import { inTransaction, readOnly } from '../write/transaction.ts';
import { chosenAnswer } from './chosen-answer.ts';

export async function callFunction(pool: Pool, asked: PlannedRead, schema: string): Promise<ReadResult> {
  const { encoding } = asked;
  const call = asked.plan.source!;
  const { isReadOnly, maxRows } = call;
  const many = call.function.returns?.many === true;
  const maxAffected = maxRows === undefined ? {} : { maxAffected: maxRows };
  const planned = { encoding, plan: planOfRows(asked.plan), dialect: callDialect(asked.dialect, call, schema) };
  const { read } = firstPage(planned, isReadOnly ? CURSOR_ROWS : MAX_FUNCTION_ROWS);
  const work = async (connection: Connection): Promise<ReadResult | undefined> => {
    if (pool.session === undefined) await query(connection, settingsSql(call));
    const result = await read(connection);
    if (result === undefined && !isReadOnly) throw resultTooLarge();
    if (result === undefined) return undefined;
    checkAffected({ mustExist: false, singular: many && encoding.singular === true, ...maxAffected }, result.returned);
    // A dry run also reports deferred constraints.
    if (call.dryRun) await connection.unsafe('set constraints all immediate');
    return { ...result, ...(await chosenAnswer(connection)) };
  };
  const found = isReadOnly
    ? readOnly(pool, work)
    : inTransaction(pool, work, !call.dryRun, 'write', pool.options.querySeconds * 1000);
  const result = await found.catch((error) => {
    if (!isTooLong(error)) throw callError(error);
    if (!isReadOnly) throw resultTooLarge();
  });
  return result ?? openCursor(pool, planned, pool.session === undefined ? settingsSql(call) : undefined);
}

/** With `analyze` the function runs, and changes nothing. */
export function explainCall(pool: Pool, plan: ReadPlan, dialect: SqlDialect, schema: string, ...how: PlanForm) {
  const of = callDialect(dialect, plan.source!, schema);
  return readOnly(pool, (connection) => explainRead(connection, planOfRows(plan), of, ...how));
}

function settingsSql({ settings }: FunctionCall): Statement {
  const pairs = Object.entries(settings);
  const calls = pairs.map((_, index) => `set_config($${2 * index + 1}::text, $${2 * index + 2}::text, true)`);
  return { sql: `select ${calls.join(', ')}`, params: pairs.flat() };
}

/** The errors of a function concern no collection. */
function callError(error: unknown): unknown {
  return isLoss(error) || isFull(error) || isTransient(error) ? error : translateError(error, undefined, true);
}

function resultTooLarge(): ApiError {
  return new ApiError(
    '54000',
    `the result of a function that may change data has more than ${MAX_FUNCTION_ROWS} rows or 8 MiB`,
    {
      nothingChanged: true,
      hint: 'Use limit, or call a stable function by GET.',
    },
  );
}

/** The names of the rows and of the arguments in a statement. No name of a collection begins with a space. */
const ROWS = ' call rows';
const ARGUMENTS = '" call arguments"';
const CALLED = '" called"';

/** The plan that reads the rows of the call. They have no key: a function may return a row twice. */
function planOfRows(plan: ReadPlan): ReadPlan {
  return { ...plan, from: { ...plan.from, name: ROWS, key: [] } };
}

function callDialect(dialect: SqlDialect, call: FunctionCall, schema: string): SqlDialect {
  return withSources(dialect, (bind) => `${identifier(ROWS)} as materialized (${callSql(call, schema, bind)})`);
}

function callSql({ function: routine, arguments: given }: FunctionCall, schema: string, bind: Bind): string {
  const { from, list } = argumentsSql(routine, given, bind);
  const called = `${identifier(schema)}.${identifier(routine.name)}(${list.join(', ')})`;
  const { returns } = routine;
  if (returns === undefined || returns.isValue) {
    return `select ${called} as ${identifier(VALUE_COLUMN)}${from === '' ? '' : ` from ${from}`}`;
  }
  const columns = returns.isDeclared ? '' : ` (${columnList(returns.collection.fields)})`;
  return `select ${CALLED}.* from ${from === '' ? '' : `${from}, lateral `}${called} as ${CALLED}${columns}`;
}

/** Only parameters that the call gives are passed, so that the function's own defaults apply. */
function argumentsSql(
  { parameters, body }: DatabaseFunction,
  given: FunctionCall['arguments'],
  bind: Bind,
): { readonly from: string; readonly list: readonly string[] } {
  const passed = ({ name, isVariadic }: Parameter, sql: string) =>
    `${isVariadic === true ? 'variadic ' : ''}${identifier(name)} => ${sql}`;
  if (given.kind === 'body') return { from: '', list: [`${bind(given.text, TEXT)}::${body}`] };
  if (given.kind === 'texts') {
    const list = parameters.flatMap((parameter) => {
      const texts = given.texts.get(parameter.name);
      if (texts === undefined) return [];
      const text =
        parameter.isVariadic === true ? printArrayLiteral({ items: texts, sizes: [texts.length] }) : texts.at(-1)!;
      return passed(parameter, `${bind(text, TEXT)}::${parameter.type.postgres.name}`);
    });
    return { from: '', list };
  }
  const used = parameters.filter(({ name }) => given.names.includes(name));
  if (used.length === 0) return { from: '', list: [] };
  const types = used.map(({ name, type }) => `${identifier(name)} ${type.postgres.name}`);
  return {
    from: `json_to_record(${bind(given.text, TEXT)}::json) as ${ARGUMENTS} (${types.join(', ')})`,
    list: used.map((parameter) => passed(parameter, `${ARGUMENTS}.${identifier(parameter.name)}`)),
  };
}
