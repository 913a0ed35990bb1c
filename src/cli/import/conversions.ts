/** Converts cells as people write them: dates, decimal commas, names of referenced rows, Yes and No. */
import { ApiError } from '../../base/errors.ts';
import type { Field } from '../../collection/declaration.ts';
import { isFlag, readFlag } from '../../collection/spreadsheet-values.ts';
import { can } from '../../collection/types/type.ts';
import { RowProblem } from '../../plan/write/row-planner.ts';
import { type DateReader, isDated } from './date-format.ts';
import type { DecimalCommas } from './decimal-commas.ts';
import type { CellResolver } from './resolve.ts';

export interface ConversionOptions {
  readonly dates: DateReader | undefined;
  readonly resolvers: ReadonlyMap<Field, CellResolver>;
  /** Whether the file has a header, so that a wrong column is a mistake of the file and not of a row. */
  readonly hasHeader: boolean;
}

/** Converts dates, numbers and names of referenced rows. A cell that cannot be converted is empty. */
export function cellConverter(
  fields: readonly (Field | undefined)[],
  { dates, resolvers, hasHeader }: ConversionOptions,
  decimalCommas: DecimalCommas | undefined,
) {
  const converters = fields.map((field): ((cell: unknown) => unknown) | undefined => {
    const resolver = field && resolvers.get(field);
    if (resolver !== undefined) return (cell) => resolver.keyOf(cell, hasHeader);
    if (field !== undefined && decimalCommas !== undefined && can(field.type, 'number'))
      return (cell) => decimalCommas.read(field, cell);
    if (field === undefined || dates === undefined || !isDated(field.type)) return undefined;
    return (cell) => (typeof cell === 'string' ? dates(cell, field.type) : cell);
  });
  const converted = [...converters.keys()].filter((at) => converters[at] !== undefined);
  return (cells: readonly unknown[], report: (problem: RowProblem) => void): readonly unknown[] => {
    if (converted.length === 0) return cells;
    const result = [...cells];
    for (const at of converted) {
      try {
        result[at] = converters[at]!(cells[at]);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        report(new RowProblem(fields[at]!, error));
        result[at] = undefined;
      }
    }
    return result;
  };
}

/** Converts Yes and No to the values of flag fields. */
export function convertFlags(fields: readonly (Field | undefined)[]) {
  const flags = fields.flatMap((field, at) => (isFlag(field) ? [at] : []));
  const isWord = (cells: readonly unknown[]) => flags.some((at) => readFlag(cells[at]) !== cells[at]);
  return (cells: readonly unknown[]): readonly unknown[] =>
    isWord(cells) ? cells.map((cell, at) => (flags.includes(at) ? readFlag(cell) : cell)) : cells;
}
