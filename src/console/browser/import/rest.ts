/** Downloads the rows that were not stored, each with its reason, as a file to fix and import again. */
import { printCsvRow } from '../../../declare/rows/csv.ts';
import { BYTE_ORDER_MARK, downloadBlob } from '../export/save-file.ts';
import { t } from '../i18n/text.ts';
import type { Plan } from './plan.ts';
import type { Sheet } from './sheet.ts';

export function downloadInvalid({ name, columns, rows, separator }: Sheet, { rowPlans }: Plan): void {
  const lines = rows.flatMap((row, at) => {
    const plan = rowPlans[at]!;
    if (plan.kind !== 'bad') return [];
    if (row.broken !== undefined) return [row.broken.text];
    const reason = plan.faults.map(({ message }) => message).join(' ');
    return [printCsvRow([...columns.map((_column, index) => row.cells[index]), reason], separator)];
  });
  const text = [printCsvRow([...columns, t.importing.problem], separator), ...lines].join('\r\n');
  const type = 'text/csv;charset=utf-8';
  downloadBlob(new Blob([BYTE_ORDER_MARK, text, '\r\n'], { type }), `${name.replace(/\.[^.]+$/, '')}-rest.csv`);
}
