/** How many bytes a statement may read: of all its rows, or of each. */
import type { ApiError } from '../../../base/errors.ts';
import { CURSOR_BYTES, MAX_RETURNED_BYTES, MAX_ROW_BYTES } from '../../../base/limits/engine.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
import { ROW } from '../../../encode/encoding.ts';
import { valueTooLong } from '../../../plan/coerce.ts';
import { conjuncts, type ReadPlan } from '../../../plan/types.ts';
import { maxKeys } from '../../shared/plan-keys.ts';
import { returnTooLarge } from '../../shared/write-checks.ts';
import type { Output } from '../../sql/output.ts';
import { anyEmbedded, maxRowBytes } from '../../sql/row-size.ts';
import { identifier, type SqlDialect } from '../../sql/statement.ts';
import { isRaised, raisedText, raiseIf } from '../raise.ts';

/** Names of rows on their way to an answer. No collection and no field can have such a name. */
export const CHANGED_ROWS = '" changed rows"';
export const RETURNED_ROWS = '" returned rows"';
const TOO_LONG = raisedText('too many bytes');
/** A page of at most this many rows, each of up to 64 KiB. Summing sizes takes a quarter of a read's time. */
const PAGE_ROWS = 128;
/** Collections with a row beyond its share in a longer list: their rows are summed from then on. */
const collectionsWithLongRows = new WeakSet<Collection>();

/** This many values of maximum length may exceed an int4 of bytes. */
const MANY_VALUES = 100;

export const rowsWithin: NonNullable<SqlDialect['boundedRows']> = (rows, name, values, least, { bounded, share }) => {
  // For a compressed or out-of-line text this is known without reading it.
  const wide = values.length > MANY_VALUES ? '::int8' : '';
  const lengths = values.map((value) => `coalesce(octet_length((${value})::text)${wide}, 0)`);
  const bytes = [String(least), ...lengths].join(' + ');
  const source = `from (${rows}) as ${identifier(name)}`;
  const maxBytes = bounded === 'row' ? MAX_ROW_BYTES : share;
  if (maxBytes !== undefined) return `select * ${source} where ${raiseIf(`${bytes} > ${maxBytes}`, TOO_LONG)}`;
  const counted = `select *, sum(${bytes}) over (rows unbounded preceding) as " bytes so far" ${source}`;
  return `select * from (${counted}) as counted where ${raiseIf(`" bytes so far" > ${CURSOR_BYTES}`, TOO_LONG)}`;
};

/** Bounds a list that becomes part of one row. */
export function listWithin(query: string): string {
  return countedWithin(query, identifier(ROW), identifier(ROW), MAX_ROW_BYTES);
}

export function returnedWithin(query: string): string {
  const rows = `select row_to_json(${RETURNED_ROWS}.*) as row from (${query}) as ${RETURNED_ROWS}`;
  return `select coalesce(json_agg(row), '[]') from (${countedWithin(rows, 'row', 'row')}) as returned`;
}

/** The rows that a change returns, as columns. One of the columns may be long. */
export function changedWithin(change: string, columns: string, long: string): string {
  return `with ${CHANGED_ROWS} as (${change}) ${countedWithin(`select * from ${CHANGED_ROWS}`, columns, long)}`;
}

function countedWithin(query: string, columns: string, long: string, bytes = MAX_RETURNED_BYTES): string {
  const counted = `select ${columns}, sum(octet_length(${long}::text)) over (rows unbounded preceding) as " bytes so far" from (${query}) as listed`;
  return `select ${columns} from (${counted}) as counted where ${raiseIf(`" bytes so far" > ${bytes}`, TOO_LONG)}`;
}

/** A computed value, which must not be longer than its field allows. */
export function valueWithin(sql: string, { name, maxBytes }: Field): string {
  const isTooLong = raiseIf(`octet_length(to_json(value)::text) > ${maxBytes}`, `${TOO_LONG} ${name}`);
  return `(select value from (select ${sql} as value) as computed where ${isTooLong})`;
}

/** If this many rows could exceed the budget, they are summed, or each has its share. */
export function boundedRows({ from, columns, where, source }: ReadPlan, output: Output, rows: number): Output {
  const most = Math.min(rows, maxKeys(from, conjuncts(where)) ?? rows);
  if (output.handler !== undefined || most === 0 || most * maxRowBytes(columns, output) <= CURSOR_BYTES) return output;
  // A function that may change data is called once: a row over its share could not be read again.
  const isOnce = source?.isReadOnly === false;
  const haveShares = !isOnce && (most <= PAGE_ROWS || !(anyEmbedded(columns) || collectionsWithLongRows.has(from)));
  return { ...output, bounded: 'rows', ...(haveShares ? { share: shareOf(most) } : {}) };
}

/** Records a row over its share. Returns whether reading again with sums can help. */
export function recordLongRow({ from }: ReadPlan, { share }: Output): boolean {
  if (share === undefined || share >= shareOf(PAGE_ROWS)) return false;
  collectionsWithLongRows.add(from);
  return true;
}

/** Rounded, so that similar pages share a statement. */
function shareOf(rows: number): number {
  return CURSOR_BYTES / 2 ** Math.ceil(Math.log2(rows));
}

/** Translates the error of a cast that failed because of these limits. */
export function tooLong(error: unknown, { fields }: Collection): ApiError {
  const field = fields.find(({ name }) => (error as Error).message.includes(`${TOO_LONG} ${name}"`));
  return field === undefined ? returnTooLarge() : valueTooLong(field);
}

export function isTooLong(error: unknown): boolean {
  return isRaised(error, TOO_LONG);
}
