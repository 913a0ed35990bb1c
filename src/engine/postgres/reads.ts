/** Reads: a small result in one statement, a large one through a cursor, as it is sent. */
import type { SQL } from 'bun';
import type { Row } from '../../collection/value.ts';
import type { Encoding } from '../../encode/encoding.ts';
import { CURSOR_ROWS } from '../../limits.ts';
import type { ReadPlan } from '../../plan/types.ts';
import { compileCount, compileRead } from '../compile/read.ts';
import type { SqlDialect } from '../compile/statement.ts';
import type { ReadResult } from '../engine.ts';
import { keptNames, ownNames } from './column-names.ts';
import { openCursor } from './cursor.ts';
import { query, queryLists, type Runner } from './driver.ts';

export async function readRows(
  runner: Runner,
  table: string,
  plan: ReadPlan,
  dialect: SqlDialect,
): Promise<readonly Row[]> {
  return ownNames(plan, await query<Row>(runner, compileRead(table, keptNames(plan), dialect)));
}

export function readList(
  pool: SQL,
  table: string,
  plan: ReadPlan,
  dialect: SqlDialect,
  encoding: Encoding,
): Promise<ReadResult> {
  const page = { ...plan, limit: Math.min(plan.limit ?? Number.POSITIVE_INFINITY, CURSOR_ROWS + 1) };
  const cursor = () => openCursor(pool, table, plan, dialect, encoding);
  const isWhole = plan.offset === 0 && plan.limit === undefined;
  if (plan.count === undefined) {
    return readRows(pool, table, page, dialect).then((rows) =>
      rows.length > CURSOR_ROWS ? cursor() : { kind: 'rows', rows: plain(rows) },
    );
  }
  const counted = isWhole ? readWhole(pool, table, page, dialect) : readCounted(pool, table, page, dialect);
  return counted.then((found) => (found.rows.length > CURSOR_ROWS ? cursor() : { kind: 'rows', ...found }));
}

interface Counted {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** All rows are their own count. */
async function readWhole(pool: SQL, table: string, plan: ReadPlan, dialect: SqlDialect): Promise<Counted> {
  const rows = await readRows(pool, table, plan, dialect);
  return { rows: plain(rows), total: rows.length };
}

/** The driver's result is an array with properties of its own, which JSON.stringify takes three times as long for. */
function plain(rows: readonly Row[]): Row[] {
  return [...rows];
}

/** The page and the count in one statement, and so of one moment. The count is there even where the page is empty. */
async function readCounted(pool: SQL, table: string, plan: ReadPlan, dialect: SqlDialect): Promise<Counted> {
  const { columns } = keptNames(plan);
  const read = compileRead(table, { ...plan, columns }, dialect);
  const count = compileCount(table, plan, dialect);
  const shifted = count.sql.replace(/\$(\d+)/g, (_, position) => `$${Number(position) + read.params.length}`);
  const lists = await queryLists(pool, {
    sql: `select counted.total::float8, page.* from (${shifted}) as counted left join (select true as here, rows.* from (${read.sql}) as rows) as page on true`,
    params: [...read.params, ...count.params],
  });
  const names = columns.map(({ name }) => name);
  const found = lists
    .filter(([, here]) => here === true)
    .map((list) => {
      const row: Row = {};
      for (const [index, name] of names.entries()) row[name] = list[index + 2] as Row[string];
      return row;
    });
  return { rows: ownNames(plan, found), total: lists[0]![0] as number };
}
