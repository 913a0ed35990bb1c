/** Prints the result of an import: its problems, and a table of what became of the rows. */
import { amount } from '../../base/amount.ts';
import { renderTable } from '../shared/table.ts';
import type { Problems } from './problems.ts';
import type { ImportRefused, ImportResult } from './run.ts';

interface Report extends ImportResult {
  readonly database: string;
  /** Whether the database is new: this reveals a mistyped path. */
  readonly isNew: boolean;
  /** Lines that hold nothing but separators. */
  readonly blankLines: number;
  readonly dryRun: boolean;
  readonly rejects: string | undefined;
}

export function printReport(report: Report, problems: Problems, isJson: boolean): void {
  if (isJson) {
    console.log(JSON.stringify({ ok: true, ...report, problems: problems.list }));
    return;
  }
  process.stderr.write(problems.print());
  const { read, inserted, updated, ignored: unchanged, rejected } = report;
  const into = report.isNew ? ` into a new catalogue in ${report.database}` : '';
  const results = { inserted, updated, unchanged, rejected };
  const lines = [
    `${report.dryRun ? 'Would import' : 'Imported'} ${amount(read - rejected)}${into}`,
    renderTable(Object.keys(results), [results]).trimEnd(),
    ...(report.rejects === undefined ? [] : [`The rejected rows are in ${report.rejects}`]),
    ...(report.blankLines > 0 ? [`${amount(report.blankLines, 'blank line')} left out`] : []),
  ];
  console.log(lines.join('\n'));
}

export function printRefusal({ message, read, rejected }: ImportRefused, problems: Problems, isJson: boolean): void {
  if (isJson) {
    console.log(JSON.stringify({ ok: false, error: message, read, rejected, problems: problems.list }));
    return;
  }
  const advice = problems.areTaken ? '; --mode upsert changes rows that exist, --mode ignore skips them' : '';
  process.stderr.write(
    `${problems.print()}catalogue: ${message}; fix the file, or store the other rows with --keep-going${advice}\n`,
  );
}
