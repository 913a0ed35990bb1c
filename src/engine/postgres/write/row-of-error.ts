/** Finds the row of a body that PostgreSQL rejected: the server names only the values. */
import type { Report } from '../../../base/error-list.ts';
import { ApiError } from '../../../base/errors.ts';
import type { Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { fieldNames } from '../../../plan/keys.ts';
import type { WritePlan } from '../../../plan/types.ts';
import { printValues, withRowIndex } from '../../shared/write-checks.ts';
import { type ServerError, sqlState, translateError, valuesInDetail, withServerMessage } from '../errors.ts';

type RowValues = readonly (Value | undefined)[];
type Problems = (report: Report) => Promise<void>;

/** `problems` reports all rows that the database rejects. */
export async function withRowOfInput(
  error: unknown,
  plan: WritePlan,
  isAdopted: boolean,
  problems: Problems,
): Promise<unknown> {
  const located = withRejectedField(error, plan, isAdopted);
  const rejected = rejectedValues(plan, error);
  if (rejected === undefined || !(located instanceof ApiError)) return located;
  const { fields, values } = rejected;
  const rows = valuesByRow(plan, fields);
  const text = values.join(', ');
  const isRejected = (row: RowValues) => !row.includes(undefined) && printValues(fields, row).join(', ') === text;
  const [first, second] = rows.flatMap((row, index) => (isRejected(row) ? [index] : []));
  if (first === undefined) return located;
  const index = second === undefined ? first : await firstRejected(located, problems, first);
  return withRowIndex(located, index, rows.length > 1);
}

/** The error of a row with the field that the server rejected. */
export function withRejectedField(error: unknown, plan: WritePlan, isAdopted: boolean): unknown {
  const rejected = rejectedValues(plan, error);
  const own = rejected === undefined ? error : translateError(error, plan.into);
  const translated = isAdopted ? withServerMessage(error) : own;
  if (rejected === undefined || !(translated instanceof ApiError)) return translated;
  return translated.with({ field: fieldNames(rejected.fields) });
}

/** Several rows have the values: the first one that the stored rows, or earlier rows of the body, reject. */
async function firstRejected(error: ApiError, problems: Problems, otherwise: number): Promise<number> {
  const found: number[] = [];
  const isSame = ({ code, field }: ApiError) => code === error.code && field === error.field;
  await problems((problem) => void (isSame(problem) && found.push(problem.index!))).catch(() => undefined);
  return found[0] ?? otherwise;
}

/** The fields and values of the written collection that the server rejected. */
function rejectedValues({ into }: WritePlan, error: unknown) {
  const { message = '', detail, column } = error as Partial<ServerError>;
  switch (sqlState(error)) {
    case '23502': {
      const field = into.byName.get(column ?? '');
      return field && { fields: [field], values: printValues([field], [null]) };
    }
    case '23503':
      return message.startsWith('insert or update') ? valuesInDetail(into, detail) : undefined;
    case '23505':
      return valuesInDetail(into, detail);
    default:
      return undefined;
  }
}

/** The values that each row of an insert supplies for some fields. A bulk update finds its row itself. */
function valuesByRow(plan: WritePlan, fields: readonly Field[]): readonly RowValues[] {
  if (plan.kind !== 'insert') return [];
  return plan.rows.map((row) => fields.map((field) => row[plan.into.fields.indexOf(field)]));
}
