/** Passes any number of input rows as one JSON parameter, read as a table. */
import type { Field } from '../../../collection/declaration.ts';
import type { RowSource } from '../../shared/row-lookup.ts';
import { INPUT_ROWS, identifier } from '../../sql/statement.ts';
import { jsonOf } from '../dialect.ts';
import { storedValues } from '../schema/schema.ts';

export const inputRows: RowSource['input'] = (_, fields: readonly Field[], rows, bind) => {
  const lists = rows.map((row) => `[${storedValues(fields, row).map(jsonOf).join(',')}]`);
  const columns = fields.map(({ name }, at) => `json_extract(value, '$[${at}]') as ${identifier(name)}`);
  return `(select ${columns.join(', ')} from json_each(${bind(`[${lists.join(',')}]`)})) as ${INPUT_ROWS}`;
};
