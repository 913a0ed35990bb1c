/** The rows of a body as one JSON parameter, read as a table. */
import { mapInSlices } from '../../../base/cooperative.ts';
import type { ApiError } from '../../../base/errors.ts';
import type { BodyPlan, RowSource } from '../../shared/body-tables.ts';
import { firstProblem } from '../../shared/row-problems.ts';
import { INPUT_ROWS, identifier } from '../../sql/statement.ts';
import type { Connection } from '../connection/connection.ts';
import { guardedDialect, jsonOf } from '../dialect.ts';
import { storedValues } from '../schema/schema.ts';

export const bodyRows: RowSource = {
  dialect: guardedDialect,
  *encode(columns, rows) {
    const lists = yield* mapInSlices(rows, (row) => `[${storedValues(columns, row).map(jsonOf).join(',')}]`);
    return `[${lists.join(',')}]`;
  },
  table: (_, columns, json) => {
    const cells = columns.map(({ name }, at) => `json_extract(value, '$[${at}]') as ${identifier(name)}`);
    return `(select ${cells.join(', ')} from json_each(${json})) as ${INPUT_ROWS}`;
  },
};

/** The error of the first row of a body with this problem, or of the row with the index. */
export function firstBadRow(
  connection: Connection,
  plan: BodyPlan,
  kind: 'duplicates' | 'missing',
  index?: number,
): ApiError | undefined {
  return firstProblem(plan, bodyRows, (statement) => connection.rows(statement), kind, index);
}
