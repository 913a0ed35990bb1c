/** Downloads the rows that were not stored, each with its reason, as a file to fix and import again. */
import { printCsvRow } from '../../../declare/rows/csv.ts';
import { downloadBlob } from '../shared/page/save-file.ts';
import type { Plan } from './row-outcome.ts';
import type { Sheet } from './sheet.ts';

const PROBLEM = 'Problem';
/** A byte order mark: spreadsheets recognize UTF-8 by it. */
const BYTE_ORDER_MARK = '\uFEFF';

export function downloadInvalid({ name, columns, rows, separator }: Sheet, { rowPlans }: Plan): void {
  const lines = rows.flatMap((row, at) => {
    const rowPlan = rowPlans[at]!;
    if (rowPlan.kind !== 'bad') return [];
    if (row.broken !== undefined) return [row.broken.text];
    const reason = rowPlan.faults.map(({ message }) => message).join(' ');
    return [printCsvRow([...columns.map((_column, index) => row.cells[index]), reason], separator)];
  });
  const text = [printCsvRow([...columns, PROBLEM], separator), ...lines].join('\r\n');
  const type = 'text/csv;charset=utf-8';
  downloadBlob(new Blob([BYTE_ORDER_MARK, text, '\r\n'], { type }), `${name.replace(/\.[^.]+$/, '')}-rest.csv`);
}
