/** Rows on their way to the API: a part at a time, each part one transaction. */
import { parseJson } from '../../../collection/exact-json.ts';
import { key, listPath } from '../shared/collection.ts';
import { ask } from '../shared/http.ts';
import { wordsOf } from '../shared/words.ts';
import { stored } from './cells.ts';
import { ROWS_PER_REQUEST } from './dry-run.ts';
import type { Change, Fate } from './fate.ts';
import { type Body, bodyOf, columnsOf } from './requests.ts';
import { parts, rowsWith, type StoredRow } from './stored-rows.ts';

export interface Report {
  /** As the import left them. */
  readonly created: readonly StoredRow[];
  readonly changed: readonly { readonly row: StoredRow; readonly changes: readonly Change[] }[];
  /** Why rows were not stored, by their place in the sheet. */
  readonly failed: ReadonlyMap<number, string>;
}

type New = Extract<Fate, { kind: 'new' }>;
type Changed = Extract<Fate, { kind: 'change' | 'exists' }>;

/** How often a part whose answer did not come is sent again: with the same Idempotency-Key it is stored once. */
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

export class Sender {
  /** Keys of parts that may have been stored, though nobody could say so. */
  private readonly open = new Map<string, string>();

  async send(fates: readonly Fate[], progress: (done: number) => void): Promise<Report> {
    const report = { created: [] as StoredRow[], changed: [] as Report['changed'][number][], failed: new Map() };
    const placesOf = (kind: Fate['kind']) => fates.flatMap((fate, at) => (fate.kind === kind ? [at] : []));
    let done = 0;
    const inParts = async (places: readonly number[], store: (part: readonly number[]) => Promise<void>) => {
      for (let start = 0; start < places.length; start += ROWS_PER_REQUEST) {
        const part = places.slice(start, start + ROWS_PER_REQUEST);
        try {
          await store(part);
        } catch (error) {
          for (const at of part) report.failed.set(at, wordsOf(error));
        }
        done += part.length;
        progress(done);
      }
    };
    await inParts(placesOf('new'), async (part) => {
      const body = part.map((at) => bodyOf(fates[at] as New));
      const url = `${listPath}?columns=${columnsOf(body)}`;
      report.created.push(...(await this.once('POST', url, body, ',missing=default')));
    });
    await inParts(placesOf('change'), async (part) => {
      const current = await currentRows(part.map((at) => fates[at] as Changed));
      const untouched = part.filter((at) => {
        const { id, changes } = fates[at] as Changed;
        const row = current.get(id.same);
        const isSo = row !== undefined && changes.every(({ field, before }) => isStored(row, field, before.same));
        if (!isSo) {
          report.failed.set(
            at,
            row === undefined ? 'It was deleted meanwhile.' : 'Someone else has changed it meanwhile.',
          );
        }
        return isSo;
      });
      if (untouched.length === 0) return;
      const rows = await this.once(
        'PATCH',
        listPath,
        untouched.map((at) => bodyOf(fates[at] as Changed)),
      );
      const byKey = new Map(rows.map((row) => [stored(key, row[key.name]).same, row]));
      for (const at of untouched) {
        const { id, changes } = fates[at] as Changed;
        report.changed.push({ row: byKey.get(id.same) ?? {}, changes });
      }
    });
    return report;
  }

  private async once(method: string, url: string, body: readonly Body[], also = ''): Promise<readonly StoredRow[]> {
    const text = JSON.stringify(body);
    const idempotencyKey = this.open.get(text) ?? crypto.randomUUID();
    this.open.set(text, idempotencyKey);
    for (let attempt = 1; ; attempt++) {
      try {
        const { body: answer } = await ask(url, {
          method,
          headers: { prefer: `return=representation${also}`, 'idempotency-key': idempotencyKey },
          body: text,
        });
        this.open.delete(text);
        return parseJson(answer) as StoredRow[];
      } catch (error) {
        // Only where there was no answer at all.
        if (!(error instanceof TypeError)) this.open.delete(text);
        if (!(error instanceof TypeError) || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }
}

/** As they are now, by their keys. */
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
