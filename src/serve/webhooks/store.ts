/** The progress of webhooks and their failing deliveries, in tables of the service. */
import { DEFAULT_HISTORY_DAYS } from '../../base/limits/engine.ts';
import type { Collection } from '../../collection/declaration.ts';
import { DELIVERIES, WEBHOOK_TABLES, WEBHOOKS } from '../../collection/own-collections.ts';
import type { MaybePromise, Write } from '../../engine/engine.ts';
import { OwnTables, RowStore } from '../../engine/row-store.ts';

export interface Progress {
  readonly name: string;
  readonly seq: number;
  readonly delivered: number;
  readonly delivered_at: string | null;
}

export interface Delivery {
  readonly webhook: string;
  readonly seq: number;
  readonly collection: string;
  readonly key: string | null;
  readonly status: 'waiting' | 'failed';
  readonly attempts: number;
  readonly first_at: string;
  readonly next_at: string | null;
  readonly reason: string | null;
}

/** The name of the row with the lease. */
const LEASE = '';

export class WebhookStore extends RowStore {
  private readonly tables = new OwnTables(this.engine, WEBHOOK_TABLES);

  /** Takes or extends the lease. One process at a time has it; it expires if the process dies. */
  async lease(holder: string, seconds: number): Promise<boolean> {
    const now = Date.now();
    const row = { holder, held_until: new Date(now + seconds * 1000).toISOString() };
    const free = `name=eq.&or=(holder.eq.${holder},held_until.lt.${new Date(now).toISOString()})`;
    if (await this.affects(this.change(WEBHOOKS, free, row))) return true;
    const first = { name: LEASE, seq: 0, delivered: 0, ...row };
    return this.affects(this.insertion(WEBHOOKS, first, 'keep'));
  }

  async release(holder: string): Promise<void> {
    const past = { held_until: new Date(0).toISOString() };
    await this.execute([this.change(WEBHOOKS, `name=eq.&holder=eq.${holder}`, past)]);
  }

  async progress(): Promise<readonly Progress[]> {
    return (await this.rows<Progress>(WEBHOOKS, 'order=name')).filter(({ name }) => name !== LEASE);
  }

  /** The progress of these webhooks. Those that have not begun before begin at the position. */
  async begin(names: readonly string[], position: () => MaybePromise<number>): Promise<readonly Progress[]> {
    const isChosen = ({ name }: Progress) => names.includes(name);
    const known = (await this.progress()).filter(isChosen);
    const added = names.filter((name) => !known.some((each) => each.name === name));
    if (added.length === 0) return known;
    await this.tables.create();
    const seq = await position();
    const first = added.map((name) => ({ name, seq, delivered: 0 }));
    await this.execute([this.insertion(WEBHOOKS, first, 'keep')]);
    return (await this.progress()).filter(isChosen);
  }

  deliveries(query: string): Promise<readonly Delivery[]> {
    return this.rows<Delivery>(DELIVERIES, query);
  }

  /** Stores the result of a round in one transaction. A delivery that fails for good removes old ones. */
  async save({ name, ...progress }: Progress, failing: readonly Delivery[], done: readonly number[]): Promise<void> {
    const removed = `webhook=eq.${encodeURIComponent(name)}&seq=in.(${done.join(',')})`;
    const oldest = new Date(Date.now() - DEFAULT_HISTORY_DAYS * 86_400_000).toISOString();
    const expired = `webhook=eq.${encodeURIComponent(name)}&status=eq.failed&first_at=lt.${oldest}`;
    await this.execute([
      this.change(WEBHOOKS, `name=eq.${encodeURIComponent(name)}`, progress),
      ...(failing.length === 0 ? [] : [this.insertion(DELIVERIES, failing, 'replace')]),
      ...(failing.some(({ status }) => status === 'failed') ? [this.deletion(DELIVERIES, expired)] : []),
      ...(done.length === 0 ? [] : [this.deletion(DELIVERIES, removed)]),
    ]);
  }

  async redeliver(deliveries: readonly Delivery[]): Promise<void> {
    await this.tables.create();
    await this.execute([this.insertion(DELIVERIES, deliveries, 'replace')]);
  }

  private async rows<Row>(collection: Collection, text: string): Promise<readonly Row[]> {
    return (await this.tables.check()) ? this.read(this.query(collection, text)) : [];
  }

  /** Resolves to whether the write affects a row. */
  private async affects(write: Write): Promise<boolean> {
    const [result] = await this.execute([write]);
    return result!.affected > 0;
  }
}
