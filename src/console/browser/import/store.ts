/** Stores the rows of an import in chunks, each in one transaction, and undoes them by request id. */

import { changeUnchangedRows } from '../api/bulk.ts';
import { type Collection, type Row, referenceOf, titleFieldOf } from '../api/catalogue.ts';
import { ofRequest, undoChanges } from '../api/changes.ts';
import { ask } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { pathOf } from '../api/query/text.ts';
import { cacheTitle } from '../api/query/titles.ts';
import { newRequestId } from '../api/rows.ts';
import { newId } from '../base/ids.ts';
import { t } from '../i18n/text.ts';
import { ROWS_PER_REQUEST } from './ask-once.ts';
import { columnsOf } from './check.ts';
import type { Pending, RowPlan } from './plan.ts';

export interface Report {
  readonly created: number;
  readonly changed: number;
  /** Rows of other collections that the file names. */
  readonly references: number;
  /** Reasons of rows that were not stored, by row index. */
  readonly failed: ReadonlyMap<number, string>;
}

/** The service undoes up to 200,000 changes in one request. */
const CHANGES_PER_ID = 100_000;

type New = Extract<RowPlan, { kind: 'new' }>;
type Changed = Extract<RowPlan, { kind: 'change' | 'exists' }>;

export class Store {
  /** The ids of the requests, the latest first. */
  private ids: { readonly id: string; count: number }[] = [];
  /** The keys and ids of chunks that may have been stored without an answer. */
  private readonly open = new Map<string, { readonly idempotencyKey: string; readonly requestId: string }>();

  constructor(private readonly collection: Collection) {}

  async send(rowPlans: readonly RowPlan[], onProgress: (done: number) => void): Promise<Report> {
    const failed = new Map<number, string>();
    const placesOf = (kind: RowPlan['kind']) => rowPlans.flatMap((plan, at) => (plan.kind === kind ? [at] : []));
    const keys = await this.createReferences(rowPlans);
    let [created, changed, done] = [0, 0, 0];
    const chunks = async (places: readonly number[], store: (part: readonly number[]) => Promise<number>) => {
      let stored = 0;
      for (let start = 0; start < places.length; start += ROWS_PER_REQUEST) {
        const part = places.slice(start, start + ROWS_PER_REQUEST);
        try {
          stored += await store(part);
        } catch (error) {
          for (const at of part) failed.set(at, explain(error, this.collection));
        }
        done += part.length;
        onProgress(done);
      }
      return stored;
    };
    created = await chunks(placesOf('new'), async (part) => {
      const body = part.map((at) => ({ ...(rowPlans[at] as New).row, ...keys((rowPlans[at] as New).pending) }));
      await this.post(`${pathOf(this.collection)}?${columnsOf(this.collection, body)}`, body, 'minimal');
      return body.length;
    });
    changed = await chunks(placesOf('change'), (part) => this.change(part, rowPlans, keys, failed));
    return { created, changed, references: keys.count, failed };
  }

  /** Undoes everything that was stored. Rows that others changed since are kept. */
  async undo(onProgress: (done: number) => void): Promise<{ readonly undone: number; readonly kept: number }> {
    let [undone, kept] = [0, 0];
    while (this.ids.length > 0) {
      const before = undone + kept;
      const result = await undoChanges(ofRequest(this.ids[0]!.id), (done) => onProgress(before + done));
      this.ids.shift();
      undone += result.undone;
      kept += result.skipped.length;
      onProgress(undone + kept);
    }
    return { undone, kept };
  }

  /** The request id for a number of further rows. A new one begins before the service could not undo them at once. */
  private idFor(count: number): string {
    const [latest] = this.ids;
    if (latest === undefined || latest.count + count > CHANGES_PER_ID)
      this.ids.unshift({ id: newRequestId(), count: 0 });
    this.ids[0]!.count += count;
    return this.ids[0]!.id;
  }

  /** Creates the rows that references name. Returns a function that gives their keys. */
  private async createReferences(rowPlans: readonly RowPlan[]) {
    const referenced = (name: string) => referenceOf(this.collection, this.collection.byName.get(name)!)!;
    const idOf = (other: Collection, text: string) => `${other.name} ${text.toLowerCase()}`;
    const wanted = new Map<Collection, Map<string, string>>();
    for (const plan of rowPlans) {
      if (plan.kind !== 'new' && plan.kind !== 'change') continue;
      for (const [name, text] of Object.entries(plan.pending)) {
        const other = referenced(name);
        wanted.set(other, (wanted.get(other) ?? new Map<string, string>()).set(idOf(other, text), text));
      }
    }
    const keys = new Map<string, Row[string]>();
    for (const [other, texts] of wanted) {
      const title = titleFieldOf(other)!.name;
      const body = [...texts.values()].map((text) => ({ [title]: text }));
      for (const row of await this.post(pathOf(other), body, 'representation')) {
        keys.set(idOf(other, String(row[title])), row[other.key[0]!.name] ?? null);
        cacheTitle(other, row);
      }
    }
    const keysOf = (pending: Pending): Row =>
      Object.fromEntries(
        Object.entries(pending).map(([name, text]) => [name, keys.get(idOf(referenced(name), text)) ?? null]),
      );
    return Object.assign(keysOf, { count: keys.size });
  }

  /** Changes only rows that are still as the preview showed them, and reports the others. */
  private async change(
    part: readonly number[],
    rowPlans: readonly RowPlan[],
    keys: (pending: Pending) => Row,
    failed: Map<number, string>,
  ): Promise<number> {
    const places = new Map<Row, number>();
    const edits = part.map((at) => {
      const { stored, changes, pending } = rowPlans[at] as Changed;
      places.set(stored, at);
      return { row: stored, changes: { ...changes, ...keys(pending) } };
    });
    const { rows, skipped, deleted } = await changeUnchangedRows(this.collection, edits, {
      requestId: this.idFor(edits.length),
    });
    for (const row of skipped)
      failed.set(places.get(row)!, deleted.has(row) ? t.importing.deletedByOthers : t.importing.changedByOthers);
    return rows.length;
  }

  private async post(url: string, body: readonly Row[], result: 'minimal' | 'representation'): Promise<readonly Row[]> {
    if (body.length === 0) return [];
    const content = `${url} ${JSON.stringify(body)}`;
    const { idempotencyKey, requestId } = this.open.get(content) ?? {
      idempotencyKey: newId(),
      requestId: this.idFor(body.length),
    };
    this.open.set(content, { idempotencyKey, requestId });
    const headers = { prefer: `return=${result},missing=default`, 'x-request-id': requestId };
    try {
      const { json } = await ask(url, { method: 'POST', headers, body, idempotencyKey });
      this.open.delete(content);
      return (json as readonly Row[] | undefined) ?? [];
    } catch (error) {
      // Without an answer, the next attempt of the person has the same key.
      if (!(error instanceof TypeError)) this.open.delete(content);
      throw error;
    }
  }
}
