/** A file as rows of unparsed cells. */

export interface SheetRow {
  /** The line of a text file, or the row of a workbook. */
  readonly line: number;
  /** The cells by column index; undefined for an empty cell. */
  readonly cells: readonly unknown[];
  /** The text and problem of a line that cannot be parsed. */
  readonly broken?: { readonly problem: string; readonly text: string };
}

export interface Sheet {
  /** The name of the file. */
  readonly name: string;
  /** The sheets of a workbook, and the one that was read. */
  readonly sheets?: readonly string[];
  readonly sheetName?: string;
  readonly columns: readonly string[];
  readonly rows: readonly SheetRow[];
  /** Whether cells are texts, as in CSV. JSON cells are values. */
  readonly areTexts: boolean;
  readonly separator: string;
  /** Remarks for the person on how the file was read. */
  readonly notes: readonly string[];
}

export function withCell(sheet: Sheet, at: number, column: number, cell: string): Sheet {
  const rows = [...sheet.rows];
  const row = rows[at]!;
  rows[at] = { ...row, cells: sheet.columns.map((_name, index) => (index === column ? cell : row.cells[index])) };
  return { ...sheet, rows };
}

export function cellText(cell: unknown): string {
  if (cell === undefined || cell === null) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
