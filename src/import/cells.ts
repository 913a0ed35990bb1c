/**
 * Reads the cells of files and pastes as people write them. The command, the import page and a paste share these rules:
 * Yes and No, lists, and numbers and dates in the notation that their column shows.
 */
import type { Collection, Field } from '../collection/declaration.ts';
import { isKey } from '../collection/declaration.ts';
import { fileKind } from '../collection/types/file.ts';
import { flagText, isFlag } from './flags.ts';
import { readList } from './lists.ts';
import { type ColumnNotation, type DefaultNotation, notationOf } from './notation.ts';

/** Converts a cell into the text that the type of its field reads. It throws if the cell is ambiguous. */
type CellReader = (cell: string) => string;

/** The address of a stored file, as exports of the console write it. */
const FILE_ADDRESS = /[^\s,"]*\/files\/([0-9a-f-]{36})(?:\/[^\s,"]*)?/gi;

/** Undefined if every text stays as it is. */
export function cellReader(field: Field, notation: ColumnNotation | undefined): CellReader | undefined {
  if (isFlag(field)) return (cell) => flagText(field, cell);
  const isFile = fileKind(field.type) !== undefined;
  const read = (cell: string) => (isFile ? cell.replaceAll(FILE_ADDRESS, '$1') : cell);
  if (field.type.input === 'list') return (cell) => readList(field.type, read(cell));
  if (isFile) return read;
  return notation && ((cell) => notation.read(cell) ?? cell);
}

/** The notations of the columns of a file or a paste, by field. */
export class Notations {
  private readonly byField = new Map<Field, ColumnNotation | undefined>();

  /** `local` is the notation of the reader's language. The separator of a file may be known after its first row. */
  constructor(
    private readonly separator: () => string,
    private readonly local: DefaultNotation = {},
  ) {}

  of(field: Field): ColumnNotation | undefined {
    const given = { ...this.local, hasCommas: this.separator() === ',' };
    const columns = () => this.columns;
    if (!this.byField.has(field)) this.byField.set(field, notationOf(field, given, columns));
    return this.byField.get(field);
  }

  learn(fields: readonly (Field | undefined)[], cells: readonly unknown[]): void {
    for (const [at, cell] of cells.entries()) {
      const field = fields[at];
      if (field !== undefined && typeof cell === 'string') this.of(field)?.learn(cell);
    }
  }

  /** Whether a column needs more cells to show its notation. */
  get areUndecided(): boolean {
    return this.columns.some((each) => each.isUndecided);
  }

  private get columns(): readonly ColumnNotation[] {
    return [...this.byField.values()].filter((each) => each !== undefined);
  }
}

/** Whether an empty cell of a new row is null. A default only fills what cannot be null, so exports can be imported. */
export function isNullIfEmpty(collection: Collection, field: Field): boolean {
  return !field.required && !isKey(collection, field);
}
