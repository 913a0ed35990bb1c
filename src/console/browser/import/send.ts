/** Rows on their way to the API: a part at a time, each part one transaction. */
import { fields, key, listPath } from '../shared/collection.ts';
import { ask, messageOf } from '../shared/http.ts';
import type { Table } from './read-file.ts';

/** What to do with a row whose key exists. */
export type Mode = 'refuse' | 'merge' | 'skip';

const RESOLUTION: Readonly<Record<Mode, string>> = {
  refuse: '',
  merge: ',resolution=merge-duplicates',
  skip: ',resolution=ignore-duplicates',
};

type Rows = Table['rows'];

/** The keys of the rows that were written. */
export async function sendRows(rows: Rows, mode: Mode, { dryRun = false } = {}): Promise<readonly number[]> {
  const columns = fields.map(({ name }) => name).filter((name) => rows.some((row) => Object.hasOwn(row, name)));
  const rollback = dryRun ? ',tx=rollback' : '';
  const { json } = await ask(`${listPath}?columns=${columns.join(',')}&select=${key.name}`, {
    method: 'POST',
    headers: {
      prefer: `return=representation,missing=default${RESOLUTION[mode]}${rollback}`,
      // A part that was stored, but whose answer was lost, is not stored twice.
      ...(dryRun ? {} : { 'idempotency-key': crypto.randomUUID() }),
    },
    body: rows,
  });
  return (json as Record<string, number>[]).map((row) => row[key.name]!);
}

export interface Report {
  /** Keys of the rows that were stored. */
  readonly stored: readonly number[];
  /** Rows that were there, and kept as they are. */
  readonly kept: number;
  readonly failures: readonly { readonly rows: number; readonly message: string }[];
}

export async function sendAll(rows: Rows, mode: Mode, size: number, progress: (done: number) => void): Promise<Report> {
  const stored: number[] = [];
  const failures: { rows: number; message: string }[] = [];
  let kept = 0;
  for (let start = 0; start < rows.length; start += size) {
    const part = rows.slice(start, start + size);
    try {
      const keys = await sendRows(part, mode);
      stored.push(...keys);
      kept += part.length - keys.length;
    } catch (error) {
      failures.push({ rows: part.length, message: messageOf(error) });
    }
    progress(Math.min(start + size, rows.length));
  }
  return { stored, kept, failures };
}
