/** The error of a failed write for the client. PostgreSQL names the constraint and the values, but not the row. */
import type { Report } from '../../../base/error-list.ts';
import { ApiError } from '../../../base/errors.ts';
import { rowDenied } from '../../../collection/access/permission-errors.ts';
import { allReferences, type Field, fieldsOf } from '../../../collection/declaration.ts';
import type { Type } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { withLocation } from '../../../plan/coerce.ts';
import { fieldNames } from '../../../plan/resolve.ts';
import { type Assignment, isOperation, type WritePlan } from '../../../plan/write-plan.ts';
import type { DatabaseSession } from '../../engine.ts';
import { printValues, withRowIndex } from '../../shared/write-checks.ts';
import { inSession, type ServerError, sqlState, translateError, valuesInDetail } from '../errors.ts';
import { isTooLong, tooLong } from '../read/row-bytes.ts';
import { isNotAllowed } from './statements.ts';

export interface FailedWrite {
  readonly plan: WritePlan;
  /** The row of a bulk update that failed, if it is known. */
  readonly row: number | undefined;
  /** A constraint of an adopted table keeps its own name and message. */
  readonly isAdopted: boolean;
  /** Reports all rows that the database rejects. */
  readonly problems: (report: Report) => Promise<void>;
  readonly session: DatabaseSession | undefined;
}

type RowValues = readonly (Value | undefined)[];

export async function translateWriteError(error: unknown, failed: FailedWrite): Promise<unknown> {
  return inSession(await locate(error, failed), failed.session);
}

async function locate(error: unknown, failed: FailedWrite): Promise<unknown> {
  const { plan, row, isAdopted } = failed;
  const state = sqlState(error);
  if (state === undefined) return translateError(error);
  if (isTooLong(error)) return tooLong(error, plan.into);
  if (isNotAllowed(error)) return rowDenied(plan.into.name);
  const isOwn = !(isAdopted && state.startsWith('23'));
  const translated = translateError(error, isOwn ? plan.into : undefined, isAdopted);
  if (!(translated instanceof ApiError)) return translated;
  if (state === '22003') return indexed(withOverflow(translated, plan, row), row);
  const rejected = rejectedValues(plan, state, error as ServerError);
  if (rejected === undefined) return indexed(translated, row);
  const located = translated.with({ field: fieldNames(rejected.fields) });
  return plan.kind === 'insert' ? withRowOf(located, failed, rejected) : indexed(located, row);
}

function indexed(error: ApiError, row: number | undefined): ApiError {
  return row === undefined ? error : withRowIndex(error, row, true);
}

function setBy(plan: WritePlan, row: number | undefined): readonly Assignment[] {
  if (plan.kind === 'update') return plan.set;
  return plan.kind === 'update-each' && row !== undefined ? plan.changes[row]!.set : [];
}

/** Names the field whose result is out of range, if it can be only one: of an operation, or computed. */
function withOverflow(error: ApiError, plan: WritePlan, row: number | undefined): ApiError {
  const set = setBy(plan, row);
  const changed = set.map(({ field }) => field.name);
  const computed = plan.into.fields.filter((field) => field.computed?.uses.some((name) => changed.includes(name)));
  const results = [...set.filter(isOperation).map(({ field }) => field), ...computed];
  const [field, ...more] = results.filter(({ type }) => isOverflowOf(type, error));
  if (field === undefined || more.length > 0) return error;
  return withLocation(error.with({ hint: undefined }), undefined, field);
}

/** PostgreSQL names the type: `integer out of range`, or the digits of a decimal. Messages may be translated. */
function isOverflowOf({ title, name }: Type, { message, details }: ApiError): boolean {
  const isKnown = /^(smallint|integer|bigint) out of range$/.exec(message);
  if (isKnown !== null) return title === isKnown[1];
  const [, digits, decimals] = /precision (\d+), scale (\d+)/.exec(details ?? '') ?? [];
  return digits === undefined || name === `decimal(${digits},${decimals})`;
}

interface RejectedValues {
  readonly fields: readonly Field[];
  readonly values: readonly string[];
}

/** The fields and values of the written collection that the server rejected. */
function rejectedValues({ into }: WritePlan, state: string, error: ServerError): RejectedValues | undefined {
  const { detail, column, table } = error;
  if (state === '23502') {
    const field = into.byName.get(column ?? '');
    return field && { fields: [field], values: printValues([field], [null]) };
  }
  const found = state === '23505' || state === '23503' ? valuesInDetail(into, detail) : undefined;
  if (state === '23505' || found === undefined) return found;
  // A reference of the written row, and not one to it.
  const isSame = (fields: readonly Field[]) => new Set([...fields, ...found.fields]).size === fields.length;
  return table === into.name && allReferences(into).some((each) => isSame(fieldsOf(each))) ? found : undefined;
}

/** The error with the first row of an insert that has the values. */
async function withRowOf(
  error: ApiError,
  { plan, problems }: FailedWrite,
  { fields, values }: RejectedValues,
): Promise<ApiError> {
  if (plan.kind !== 'insert') return error;
  const text = values.join(', ');
  const isRejected = (row: RowValues) => !row.includes(undefined) && printValues(fields, row).join(', ') === text;
  const [first, second] = plan.rows.flatMap((row, index) => {
    return isRejected(fields.map((field) => row[plan.into.fields.indexOf(field)])) ? [index] : [];
  });
  if (first === undefined) return error;
  const index = second === undefined ? first : await firstRejected(error, problems, first);
  return withRowIndex(error, index, plan.rows.length > 1);
}

/** Several rows have the values: the first one that the stored rows, or earlier rows of the body, reject. */
async function firstRejected(error: ApiError, problems: FailedWrite['problems'], otherwise: number): Promise<number> {
  const found: number[] = [];
  const isSame = ({ code, field }: ApiError) => code === error.code && field === error.field;
  await problems((problem) => void (isSame(problem) && found.push(problem.index!))).catch(() => undefined);
  return found[0] ?? otherwise;
}
