/** Sends the rows of an import in chunks, each in one transaction. */
import { parseJson } from '../../../collection/exact-json.ts';
import { key, listPath } from '../shared/api/collection.ts';
import { askOnce, isRepeatable } from '../shared/api/idempotency.ts';
import { chunksOf, type Shown, sendUnchanged } from '../shared/api/while-unchanged.ts';
import { stillEquals } from '../shared/undo/restore-values.ts';
import { describeError } from '../shared/values/words.ts';
import { stored } from './cells.ts';
import { ROWS_PER_REQUEST } from './dry-run.ts';
import { type Body, bodyOf, columnsOf } from './requests.ts';
import type { Change, RowPlan } from './row-outcome.ts';
import { parts, rowsWith, type StoredRow, textOf } from './stored-rows.ts';

export interface Report {
  /** The created rows, as the import stored them. */
  readonly created: readonly StoredRow[];
  readonly changed: readonly { readonly row: StoredRow; readonly changes: readonly Change[] }[];
  /** Reasons of rows that were not stored, by row index. */
  readonly failed: ReadonlyMap<number, string>;
}

/** A report that is being filled. */
interface Filled extends Report {
  readonly created: StoredRow[];
  readonly changed: Report['changed'][number][];
  readonly failed: Map<number, string>;
}

type New = Extract<RowPlan, { kind: 'new' }>;
type Changed = Extract<RowPlan, { kind: 'change' | 'exists' }>;

/** Attempts per chunk if no answer comes. The Idempotency-Key makes sure that it is stored once. */
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

export class Sender {
  /** Idempotency keys of chunks that may have been stored without an answer. */
  private readonly open = new Map<string, string>();

  async send(rowPlans: readonly RowPlan[], progress: (done: number) => void): Promise<Report> {
    const report: Filled = { created: [], changed: [], failed: new Map() };
    const placesOf = (kind: RowPlan['kind']) => rowPlans.flatMap((rowPlan, at) => (rowPlan.kind === kind ? [at] : []));
    let done = 0;
    const attempt = async (part: readonly number[], store: () => Promise<void>) => {
      try {
        await store();
      } catch (error) {
        for (const at of part) report.failed.set(at, describeError(error));
      }
      done += part.length;
      progress(done);
    };
    const created = placesOf('new');
    for (let start = 0; start < created.length; start += ROWS_PER_REQUEST) {
      const part = created.slice(start, start + ROWS_PER_REQUEST);
      await attempt(part, async () => {
        const body = part.map((at) => bodyOf(rowPlans[at] as New));
        const url = `${listPath}?columns=${columnsOf(body)}`;
        report.created.push(...(await this.once('POST', url, body, { prefer: ',missing=default' })));
      });
    }
    const shown = placesOf('change').map((at) => {
      const { id, changes } = rowPlans[at] as Changed;
      return {
        of: at,
        id: textOf(id),
        conditions: changes.map(({ field, before }) => stillEquals(field, before.json)),
      };
    });
    for (const part of chunksOf(shown)) {
      await attempt(
        part.map(({ of }) => of),
        () => this.change(part, rowPlans, report),
      );
    }
    return report;
  }

  /** Changes only rows that are still as the preview showed them, and reports the others. */
  private async change(part: readonly Shown<number>[], rowPlans: readonly RowPlan[], report: Filled): Promise<void> {
    const changed = (at: number) => rowPlans[at] as Changed;
    const gone = new Set<number>();
    const left = await sendUnchanged(part, {
      send: async (places, filter) => {
        const body = places.map((at) => bodyOf(changed(at)));
        const rows = await this.once('PATCH', `${listPath}?${filter}`, body, { 'if-match': '*' });
        const byKey = new Map(rows.map((row) => [stored(key, row[key.name]).same, row]));
        for (const at of places) {
          report.changed.push({ row: byKey.get(changed(at).id.same) ?? {}, changes: changed(at).changes });
        }
      },
      unchanged: async (some) => {
        const current = await currentRows(some.map(({ of }) => changed(of)));
        return some.filter(({ of }) => {
          const { id, changes } = changed(of);
          const row = current.get(id.same);
          if (row === undefined) gone.add(of);
          return row !== undefined && changes.every(({ field, before }) => isStored(row, field, before.same));
        });
      },
    });
    for (const at of left) {
      report.failed.set(at, gone.has(at) ? 'Someone else deleted it.' : 'Someone else changed it.');
    }
  }

  private async once(
    method: string,
    url: string,
    body: readonly Body[],
    { prefer = '', ...headers }: Readonly<Record<string, string>> = {},
  ): Promise<readonly StoredRow[]> {
    const text = JSON.stringify(body);
    const content = `${url} ${text}`;
    const idempotencyKey = this.open.get(content) ?? crypto.randomUUID();
    this.open.set(content, idempotencyKey);
    for (let attempt = 1; ; attempt++) {
      try {
        const request = { method, headers: { ...headers, prefer: `return=representation${prefer}` }, body: text };
        const { body: answer } = await askOnce(url, request, idempotencyKey);
        this.open.delete(content);
        // A repeated request whose answer was too long to store has no rows.
        return answer === '' ? [] : (parseJson(answer) as StoredRow[]);
      } catch (error) {
        // fetch throws a TypeError if no answer came.
        if (!(error instanceof TypeError)) this.open.delete(content);
        if (!(error instanceof TypeError) || attempt === ATTEMPTS || !isRepeatable()) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }
}

/** Reads the current rows, by key. */
export async function currentRows(rows: readonly Pick<Changed, 'id'>[]): Promise<ReadonlyMap<string, StoredRow>> {
  const current = new Map<string, StoredRow>();
  for (const some of parts(rows.map(({ id }) => id))) {
    for (const row of await rowsWith(key, some)) current.set(stored(key, row[key.name]).same, row);
  }
  return current;
}

export function isStored(row: StoredRow, field: Change['field'], same: string): boolean {
  return stored(field, row[field.name]).same === same;
}
