/** The webhooks of a service. Among the processes that serve a database, only the one with the lease sends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../base/errors.ts';
import { lazyAsync } from '../../base/memo.ts';
import { counter, gauge, type Metric } from '../../base/metric.ts';
import { AddressRanges } from '../../base/net/address-ranges.ts';
import { type Sentence, say } from '../../base/sentence.ts';
import type { Catalogue } from '../../collection/declaration.ts';
import type { WebhookDraft } from '../../collection/draft.ts';
import { isSecret, SECRET_FORM, SECRET_VARIABLE } from '../../declare/webhooks.ts';
import type { ChangeLog, Engine } from '../../engine/engine.ts';
import type { Log } from '../../observe/log.ts';
import type { Middleware } from '../../response/request-context.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { WebhookSender } from './sender.ts';
import { WebhookChanges, WebhookStore } from './store.ts';

const LEASE_SECONDS = 20;
const RENEW_MS = 5_000;
/** The interval between looks for new changes. */
const POLL_MS = 500;
/** After an error of the database. */
const ERROR_MS = 5_000;
const NO_LOG = say`webhooks need the log of changes, and --history-days is 0. Start the service with --history-days 30`;

interface WebhookSettings {
  readonly webhookNetworks: readonly string[];
}

/** The key of the signature. Throws a `ConfigError` if the variable does not hold one. */
export function secretKey({ name, secret }: WebhookDraft, env: Readonly<Record<string, string | undefined>>): Buffer {
  const [, variable] = SECRET_VARIABLE.exec(secret) ?? [];
  const text = variable === undefined ? secret : (env[variable] ?? '');
  if (isSecret(text)) return Buffer.from(text.slice('whsec_'.length), 'base64');
  throw new ConfigError(`the webhook ${name} needs its secret: set ${variable} to ${SECRET_FORM}`);
}

export class Webhooks {
  private readonly stopping = new AbortController();
  private readonly holder = crypto.randomUUID();
  private readonly store: WebhookStore;
  private senders: readonly WebhookSender[] = [];
  private leaseEnds = 0;
  private hasBegun = false;
  private loops: readonly Promise<void>[] = [];

  constructor(
    private readonly engine: Engine,
    private readonly catalogue: Catalogue,
    private readonly settings: WebhookSettings,
    private readonly log: Log,
  ) {
    this.store = new WebhookStore(engine);
  }

  /** Stores where new webhooks begin, once. They do not send earlier changes. */
  readonly begin = lazyAsync(async () => {
    const { webhooks = [] } = this.catalogue.draft;
    const { log } = this.engine;
    const names = webhooks.map(({ name }) => name);
    if (log !== undefined && names.length > 0) await this.store.begin(names, async () => (await log.position()).seq);
    this.hasBegun = true;
  });

  /** Begins to send in the background. */
  start(env: Readonly<Record<string, string | undefined>>): void {
    const { webhooks = [] } = this.catalogue.draft;
    const keys = webhooks.map((webhook) => secretKey(webhook, env));
    const { log: changeLog } = this.engine;
    if (webhooks.length === 0) return;
    if (changeLog === undefined) {
      this.log.write('warn', String(NO_LOG));
      return;
    }
    const networks = new AddressRanges(this.settings.webhookNetworks);
    this.senders = webhooks.map((webhook, index) => {
      const { name } = webhook;
      const receiver = { url: new URL(webhook.url), key: keys[index]!, networks };
      const changes = new WebhookChanges(this.engine, this.catalogue, webhook);
      return new WebhookSender(name, {
        receiver,
        changes,
        log: changeLog,
        store: this.store,
        stopped: this.stopping.signal,
        maySend: () => this.isSending(),
        onFailure: (seq, reason) =>
          this.log.write('warn', 'webhook failed', { webhook: name, seq, reason: String(reason) }),
      });
    });
    this.loops = [
      this.repeat(() => this.renew()),
      ...this.senders.map((sender) => this.repeat(() => this.round(sender, changeLog))),
    ];
  }

  /** Makes writes wait until it is stored where new webhooks begin, also if the database was down at the start. */
  readonly middleware: Middleware = (next) => (context) =>
    this.hasBegun || !context.call.isWrite ? next(context) : this.begin().then(() => next(context));

  /** Resolves to the reason why a message was not accepted. */
  readonly test = async (name: string): Promise<Sentence | undefined> => {
    if (this.engine.log === undefined) return NO_LOG;
    const sender = this.senders.find((each) => each.name === name);
    if (sender !== undefined) return sender.test();
    throw new ApiError('CAT503', 'the webhooks of the service have not started', { headers: { 'retry-after': '1' } });
  };

  /** Messages in flight are cut and sent again later. */
  async stop(): Promise<void> {
    if (this.loops.length === 0) return;
    this.stopping.abort();
    await Promise.all(this.loops);
    if (performance.now() < this.leaseEnds) await this.store.release(this.holder).catch(() => undefined);
  }

  metrics(): readonly Metric[] {
    if (this.senders.length === 0) return [];
    const sum = (part: keyof WebhookSender['counts']) =>
      this.senders.reduce((total, { counts }) => total + counts[part], 0);
    return [
      counter('webhook_deliveries_total', 'Webhook messages that a receiver accepted', sum('delivered')),
      counter('webhook_failures_total', 'Webhook messages that a receiver did not accept', sum('failed')),
      gauge('webhook_waiting', 'Webhook messages that wait to be sent again', sum('waiting')),
    ];
  }

  private isSending(): boolean {
    return !this.stopping.signal.aborted && performance.now() < this.leaseEnds;
  }

  /** Returns the time to wait. */
  private async renew(): Promise<number> {
    const started = performance.now();
    await this.begin();
    const isHeld = await this.store.lease(this.holder, LEASE_SECONDS);
    // It ends earlier here than for others.
    this.leaseEnds = isHeld ? started + (LEASE_SECONDS * 1000) / 2 : 0;
    return RENEW_MS;
  }

  private async round(sender: WebhookSender, changeLog: ChangeLog): Promise<number> {
    if (!this.isSending()) {
      sender.reset();
      return POLL_MS;
    }
    return (await sender.round(await changeLog.position())) ? 0 : POLL_MS;
  }

  private async repeat(work: () => Promise<number>): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const delay = await work().catch((error: unknown) => {
        if (!signal.aborted) this.log.write('warn', 'webhooks wait', { reason: String(error) });
        return ERROR_MS;
      });
      await sleep(delay, undefined, { signal }).catch(() => undefined);
    }
  }
}
