/**
 * Reads numbers with decimal commas: 12,50 and 1.299,00. What 1.299 means depends on its column: 1299 if others of its
 * cells have decimal commas, otherwise 1.299.
 */

import { ApiError } from '../../base/errors.ts';
import type { Field } from '../../collection/declaration.ts';
import { type DecimalMark, decimalMark, withPoint } from '../../collection/spreadsheet-values.ts';
import type { Source } from '../../declare/rows/source.ts';

export class DecimalCommas {
  /** A cell of each column that shows its mark. */
  private readonly cells: Record<DecimalMark, Map<Field, string>> = {
    comma: new Map(),
    point: new Map(),
    unclear: new Map(),
  };

  /** Learns from a file that can be read twice. From standard input, a column is only known by its earlier rows. */
  async scan(source: Source, fieldsOf: (names: readonly string[]) => readonly (Field | undefined)[]): Promise<void> {
    for await (const records of source.records) {
      if (records.length > 0 && source.separator() === ',') return;
      for (const record of records) {
        if (record.kind === 'broken') continue;
        const fields = fieldsOf(record.columns);
        for (const [at, cell] of record.cells.entries()) {
          const mark = decimalMark(fields[at], cell);
          if (mark !== undefined && mark !== 'unclear') this.cells[mark].set(fields[at]!, cell as string);
        }
      }
    }
  }

  /** The cell with a decimal point and without thousands points. */
  read(field: Field, cell: unknown): unknown {
    const mark = decimalMark(field, cell);
    if (mark === undefined) return cell;
    const { comma, point, unclear } = this.cells;
    if (mark !== 'unclear') {
      const other = mark === 'comma' ? unclear.get(field) : undefined;
      if (other !== undefined) throw mixed(cell, other);
      this.cells[mark].set(field, cell as string);
      return mark === 'comma' ? withPoint(cell as string) : cell;
    }
    const [withComma, other] = [comma.get(field), point.get(field)];
    if (withComma === undefined) unclear.set(field, cell as string);
    else if (other !== undefined) throw mixed(cell, withComma);
    return withComma === undefined ? cell : withPoint(cell as string);
  }
}

function mixed(cell: unknown, other: string): ApiError {
  return new ApiError(
    '22P02',
    `"${cell}" beside "${other}" of another row: use either decimal commas or decimal points in this column`,
  );
}
