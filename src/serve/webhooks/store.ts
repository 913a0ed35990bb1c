/** The progress of webhooks and their failing deliveries, in tables of the service. */
import { DEFAULT_HISTORY_DAYS } from '../../base/limits/engine.ts';
import type { Collection } from '../../collection/declaration.ts';
import { DELIVERIES, WEBHOOK_TABLES, WEBHOOKS } from '../../collection/own-collections.ts';
import { storeJson } from '../../collection/types/type.ts';
import { parseQuery } from '../../dialect/query.ts';
import type { Engine, MaybePromise, Write } from '../../engine/engine.ts';
import { planConditions } from '../../plan/predicate.ts';
import { planRead } from '../../plan/read/read.ts';
import { WHOLE_ROW_JSON } from '../../plan/read/whole-row.ts';
import type { WritePlan } from '../../plan/types.ts';
import { readWhole } from '../../response/body.ts';

export interface Progress {
  readonly name: string;
  readonly seq: number;
  readonly delivered: number;
  readonly delivered_at: string | null;
  readonly holder?: string | null;
  readonly held_until?: string | null;
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
const OPTIONS = { singular: false, mustExist: false } as const;

export class WebhookStore {
  private hasTables = true;

  constructor(private readonly engine: Engine) {}

  /** Whether the tables exist; creates them if `make` is set. Without tables, there are no rows. */
  async open(make: boolean): Promise<boolean> {
    this.hasTables = await this.engine.ownTables(WEBHOOK_TABLES, { make });
    return this.hasTables;
  }

  /** Takes or extends the lease. One process at a time has it; it expires if the process dies. */
  async lease(holder: string, seconds: number): Promise<boolean> {
    const now = Date.now();
    const row = { holder, held_until: new Date(now + seconds * 1000).toISOString() };
    const free = `name=eq.&or=(holder.eq.${holder},held_until.lt.${new Date(now).toISOString()})`;
    if ((await this.write([changing(WEBHOOKS, row, free)])) > 0) return true;
    const first = { name: LEASE, seq: 0, delivered: 0, ...row };
    return (await this.write([inserting(WEBHOOKS, [first], 'keep')])) > 0;
  }

  async release(holder: string): Promise<void> {
    await this.write([changing(WEBHOOKS, { held_until: new Date(0).toISOString() }, `name=eq.&holder=eq.${holder}`)]);
  }

  async progress(): Promise<readonly Progress[]> {
    return (await this.rows<Progress>(WEBHOOKS, 'order=name')).filter(({ name }) => name !== LEASE);
  }

  /** The progress of these webhooks. Those that have not begun before begin at the position. */
  async begin(names: readonly string[], position: () => MaybePromise<number>): Promise<readonly Progress[]> {
    const isChosen = ({ name }: Progress) => names.includes(name);
    const known = (await this.open(false)) ? (await this.progress()).filter(isChosen) : [];
    const added = names.filter((name) => !known.some((each) => each.name === name));
    if (added.length === 0) return known;
    await this.open(true);
    const seq = await position();
    await this.write([
      inserting(
        WEBHOOKS,
        added.map((name) => ({ name, seq, delivered: 0 })),
        'keep',
      ),
    ]);
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
    await this.write([
      changing(WEBHOOKS, progress, `name=eq.${encodeURIComponent(name)}`),
      ...(failing.length === 0 ? [] : [inserting(DELIVERIES, failing, 'replace')]),
      ...(failing.some(({ status }) => status === 'failed') ? [removing(DELIVERIES, expired)] : []),
      ...(done.length === 0 ? [] : [removing(DELIVERIES, removed)]),
    ]);
  }

  /** Makes a delivery due now. */
  async redeliver(delivery: Delivery): Promise<void> {
    await this.write([inserting(DELIVERIES, [delivery], 'replace')]);
  }

  private async rows<Row>(collection: Collection, text: string): Promise<readonly Row[]> {
    if (!this.hasTables) return [];
    const { limit, ...query } = parseQuery(text);
    const page = limit === undefined ? { offset: 0 } : { offset: 0, limit };
    const found = await this.engine.read(planRead(collection, query, page, undefined), WHOLE_ROW_JSON);
    return JSON.parse((await readWhole(found)).body) as readonly Row[];
  }

  private async write(plans: readonly WritePlan[]): Promise<number> {
    const writes = plans.map((plan): Write => ({ plan, encoding: WHOLE_ROW_JSON }));
    const [first] = await this.engine.write(writes, { dryRun: false });
    return first!.affected;
  }
}

function inserting(into: Collection, rows: readonly object[], existing: 'keep' | 'replace'): WritePlan {
  const cells = rows.map((row) =>
    into.fields.map(({ name, type }) => storeJson(type, (row as Record<string, unknown>)[name] ?? null)),
  );
  const overwrite = existing === 'keep' ? [] : into.fields.filter((field) => !into.key.includes(field));
  return { kind: 'insert', into, rows: cells, given: into.fields, conflict: { on: into.key, overwrite }, ...OPTIONS };
}

function changing(into: Collection, values: object, filter: string): WritePlan {
  const given = into.fields.filter(({ name }) => (values as Record<string, unknown>)[name] !== undefined);
  const set = given.map((field) => {
    return { field, value: storeJson(field.type, (values as Record<string, unknown>)[field.name]) };
  });
  return { kind: 'update', into, where: conditionsIn(into, filter), set, given, ...OPTIONS };
}

function removing(into: Collection, filter: string): WritePlan {
  return { kind: 'delete', into, where: conditionsIn(into, filter), ...OPTIONS };
}

function conditionsIn(collection: Collection, filter: string) {
  return planConditions(collection, parseQuery(filter).conditions);
}
