/** Converts cells as people write them: dates, numbers, names of referenced rows, Yes and No. */
import { ApiError } from '../../base/errors.ts';
import type { Field } from '../../collection/declaration.ts';
import type { Source } from '../../declare/rows/source.ts';
import { type DateReader, isDated } from '../../import/date-pattern.ts';
import { isFlag, readFlag } from '../../import/flags.ts';
import { type ColumnNotation, notationOf } from '../../import/notation.ts';
import { RowProblem } from '../../plan/write/row-planner.ts';
import type { CellResolver } from './resolve.ts';

export interface ConversionOptions {
  readonly dates: DateReader | undefined;
  readonly resolvers: ReadonlyMap<Field, CellResolver>;
  /** Whether the file has a header, so that a wrong column is a mistake of the file and not of a row. */
  readonly hasHeader: boolean;
}

/** The notations of the columns of a file. */
export class Notations {
  private readonly byField = new Map<Field, ColumnNotation | undefined>();

  /** The separator of the file is known after its first row. */
  constructor(private separator: () => string) {}

  of(field: Field): ColumnNotation | undefined {
    // Commas that separate cells are probably no decimal commas.
    const given = { number: this.separator() === ',' ? 'point' : undefined } as const;
    if (!this.byField.has(field)) this.byField.set(field, notationOf(field, given));
    return this.byField.get(field);
  }

  /**
   * Learns from a file that can be read twice. From standard input, a column is only known by its earlier rows. A file
   * with commas is read until its columns are clear: few of them write decimal commas.
   */
  async scan(source: Source, fieldsOf: (names: readonly string[]) => readonly (Field | undefined)[]): Promise<void> {
    this.separator = source.separator;
    for await (const records of source.records) {
      for (const record of records) {
        if (record.kind === 'broken') continue;
        const fields = fieldsOf(record.columns);
        for (const [at, cell] of record.cells.entries())
          if (fields[at] !== undefined && typeof cell === 'string') this.of(fields[at])?.learn(cell);
      }
      const isClear = ![...this.byField.values()].some((each) => each?.isUndecided);
      if (records.length > 0 && source.separator() === ',' && isClear) return;
    }
  }
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
    const isDate = isDated(field.type);
    if (isDate && dates !== undefined) return ofTexts((cell) => dates(cell, field.type));
    if (!hasHeader) return undefined;
    const notation = notations.of(field);
    if (isFlag(field)) return ofTexts((cell) => flagText(field, cell));
    return notation && ofTexts((cell) => notation.read(cell) ?? cell);
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

/** The text that the type of a flag reads. Other texts stay as they are, for its message. */
function flagText({ type }: Field, cell: string): string {
  const flag = readFlag(cell);
  if (flag === undefined) return cell;
  return type.input === 'switch' ? String(flag) : String(Number(flag));
}
