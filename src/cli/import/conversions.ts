/** Converts cells as people write them: dates, numbers, names of referenced rows, Yes and No. */
import { ApiError } from '../../base/errors.ts';
import type { Field } from '../../collection/declaration.ts';
import { cellReader, type Notations } from '../../import/cells.ts';
import { type DateReader, isDated } from '../../import/date-pattern.ts';
import { RowProblem } from '../../plan/write/row-planner.ts';
import type { CellResolver } from './resolve.ts';

export interface ConversionOptions {
  readonly dates: DateReader | undefined;
  readonly resolvers: ReadonlyMap<Field, CellResolver>;
  /** Whether the file has a header, so that a wrong column is a mistake of the file and not of a row. */
  readonly hasHeader: boolean;
}

/** Converts the cells of a row. A cell that cannot be converted is empty. */
export function cellConverter(
  fields: readonly (Field | undefined)[],
  { dates, resolvers, hasHeader }: ConversionOptions,
  notations: Notations,
) {
  const converterOf = (field: Field | undefined): ((cell: unknown) => unknown) | undefined => {
    if (field === undefined) return undefined;
    const resolver = resolvers.get(field);
    if (resolver !== undefined) return (cell) => resolver.keyOf(cell, hasHeader);
    if (isDated(field.type) && dates !== undefined) return ofTexts((cell) => dates(cell, field.type));
    const read = hasHeader ? cellReader(field, notations.of(field)) : undefined;
    return read && ofTexts(read);
  };
  const converters = fields.map(converterOf);
  const converted = [...converters.keys()].filter((at) => converters[at] !== undefined);
  return (cells: readonly unknown[], report: (problem: RowProblem) => void): readonly unknown[] => {
    // Most rows have nothing to convert, and are not copied.
    let result: unknown[] | undefined;
    for (const at of converted) {
      let value: unknown;
      try {
        value = converters[at]!(cells[at]);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        report(new RowProblem(fields[at]!, error));
      }
      if (value === cells[at]) continue;
      result ??= [...cells];
      result[at] = value;
    }
    return result ?? cells;
  };
}

function ofTexts(read: (cell: string) => unknown) {
  return (cell: unknown) => (typeof cell === 'string' ? read(cell) : cell);
}
