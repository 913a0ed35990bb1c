/**
 * The changes that a webhook sends: the log, restricted to its collections, kinds and rows. Its progress and failing
 * deliveries are in tables of the service.
 */
import { DEFAULT_HISTORY_DAYS } from '../../base/limits/engine.ts';
import { Sentence, type Wording } from '../../base/sentence.ts';
import { CHANGES_NAME } from '../../collection/change-log.ts';
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import type { WebhookDraft } from '../../collection/draft.ts';
import { DELIVERIES, WEBHOOK_TABLES, WEBHOOKS } from '../../collection/own-collections.ts';
import { parseQuery } from '../../dialect/query.ts';
import type { Engine, MaybePromise, Write } from '../../engine/engine.ts';
import { OwnTables, RowStore, readLines } from '../../engine/row-store.ts';
import { NO_WEBHOOKS } from '../../engine/shared/change-log.ts';
import { planRule } from '../../plan/access/rule.ts';
import { atMoment } from '../../plan/at-moment.ts';
import { planRead } from '../../plan/read/read.ts';
import { ALWAYS, type LogView, type ReadPlan } from '../../plan/types.ts';

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
  readonly reason: Wording | null;
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

  async deliveries(query: string): Promise<readonly Delivery[]> {
    const rows = await this.rows<Delivery & { readonly reason: string | null }>(DELIVERIES, query);
    return rows.map((row) => ({ ...row, reason: row.reason && readReason(row.reason) }));
  }

  /** Stores the result of a round in one transaction. A delivery that fails for good removes old ones. */
  async save({ name, ...progress }: Progress, failing: readonly Delivery[], done: readonly number[]): Promise<void> {
    const removed = `webhook=eq.${encodeURIComponent(name)}&seq=in.(${done.join(',')})`;
    const oldest = new Date(Date.now() - DEFAULT_HISTORY_DAYS * 86_400_000).toISOString();
    const expired = `webhook=eq.${encodeURIComponent(name)}&status=eq.failed&first_at=lt.${oldest}`;
    await this.execute([
      this.change(WEBHOOKS, `name=eq.${encodeURIComponent(name)}`, progress),
      ...(failing.length === 0 ? [] : [this.insertion(DELIVERIES, failing.map(storable), 'replace')]),
      ...(failing.some(({ status }) => status === 'failed') ? [this.deletion(DELIVERIES, expired)] : []),
      ...(done.length === 0 ? [] : [this.deletion(DELIVERIES, removed)]),
    ]);
  }

  async redeliver(deliveries: readonly Delivery[]): Promise<void> {
    await this.tables.create();
    await this.execute([this.insertion(DELIVERIES, deliveries.map(storable), 'replace')]);
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

/** A reason is stored with its template. Those of earlier versions are words. */
function storable({ reason, ...delivery }: Delivery) {
  return { ...delivery, reason: reason instanceof Sentence ? JSON.stringify(reason) : reason };
}

function readReason(stored: string): Wording {
  if (!stored.startsWith('{"')) return stored;
  const { template, values } = JSON.parse(stored) as Sentence;
  return new Sentence(template, values);
}

/** A change, and its text as the log prints it. */
export interface SentChange {
  readonly seq: number;
  readonly at: string;
  readonly collection: string;
  readonly key: string | null;
  readonly body: string;
  /** The trace of the request that wrote it, if there is one. */
  readonly traceParent: string | undefined;
}

/** The request is not part of the message. */
const REQUEST = /^\{"request_id":(?:null|"((?:[^"\\]|\\.)*)"),/;
const TRACE_PARENT = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const SHOWN = 'request_id,seq,at,collection,key,kind,before,after';

export class WebhookChanges {
  private readonly views: readonly LogView[];

  constructor(
    private readonly engine: Engine,
    private readonly catalogue: Catalogue,
    private readonly webhook: Omit<WebhookDraft, 'secret'>,
  ) {
    const { collections, where } = webhook;
    const chosen = [...catalogue.collections.values()].filter(({ name, draft }) => {
      return draft.history !== false && (collections?.includes(name) ?? true);
    });
    this.views = chosen.map((collection) => ({
      collection,
      fields: collection.fields,
      where: where === undefined ? ALWAYS : planRule(collection, where).predicate({}),
    }));
  }

  /** The first changes after a position, up to the position `upTo`. */
  after(seq: number, upTo: number, limit: number): Promise<readonly SentChange[]> {
    return this.read(this.isAfter(seq), upTo, limit);
  }

  /** The number of changes that `after` returns. Their rows are not loaded. */
  async countAfter(seq: number, upTo: number, limit: number): Promise<number> {
    return (await this.lines('seq', this.isAfter(seq), upTo, limit)).length;
  }

  /** Changes that are still in the log. */
  at(seqs: readonly number[], upTo: number): Promise<readonly SentChange[]> {
    return seqs.length === 0 ? Promise.resolve([]) : this.read(`seq=in.(${seqs.join(',')})`, upTo, seqs.length);
  }

  private isAfter(seq: number): string {
    const { kinds } = this.webhook;
    const ofKinds = kinds === undefined ? '' : `&kind=in.(${kinds.join(',')})`;
    return `seq=gt.${seq}${ofKinds}&or=(request_id.is.null,request_id.not.like."*${NO_WEBHOOKS}")`;
  }

  private lines(fields: string, filter: string, upTo: number, limit: number): Promise<readonly string[]> {
    const query = parseQuery(`select=${fields}&order=seq&${filter}`);
    const planned = planRead(this.catalogue.builtIn.get(CHANGES_NAME)!, query, { offset: 0, limit }, undefined);
    const plan: ReadPlan = atMoment({ ...planned, log: this.views }, Date.now());
    return readLines(this.engine, plan, upTo);
  }

  private async read(filter: string, upTo: number, limit: number): Promise<readonly SentChange[]> {
    return (await this.lines(SHOWN, filter, upTo, limit)).map((line) => {
      const { seq, at, collection, key } = JSON.parse(line) as SentChange;
      const [start = '{', request = ''] = REQUEST.exec(line) ?? [];
      const traceParent = TRACE_PARENT.test(request) ? request : undefined;
      return { seq, at, collection, key, body: `{${line.slice(start.length)}`, traceParent };
    });
  }
}
