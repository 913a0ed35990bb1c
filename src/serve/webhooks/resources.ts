/**
 * Webhooks at /catalogue/webhooks, for callers with every right: their progress, the deliveries that failed or wait,
 * and the requests to send changes again or to send a test. `catalogue webhooks` does the same, except for tests.
 */
import { ApiError, onError, unlessRejected } from '../../base/errors.ts';
import { MAX_LOGIN_BYTES } from '../../base/limits/auth.ts';
import { LISTED_DELIVERIES, WEBHOOK_WAITING } from '../../base/limits/engine.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { type Sentence, withSentences } from '../../base/sentence.ts';
import type { Catalogue } from '../../collection/declaration.ts';
import type { WebhookDraft } from '../../collection/draft.ts';
import { builtIn } from '../../collection/types/index.ts';
import type { ChangeLog, Engine } from '../../engine/engine.ts';
import { notLogged } from '../../engine/shared/change-log.ts';
import { BodyReceiver } from '../../http/body/body-receiver.ts';
import { objectIn } from '../../http/body/parse-body.ts';
import { type Audit, jsonAnswer, type ResourceRequest, type Resources } from '../../response/own-resources.ts';
import { type Delivery, WebhookChanges, WebhookStore } from './store.ts';

/** The members of a request that sends. */
const MEMBERS: readonly string[] = ['seq', 'since', 'test'];
const MOMENT = builtIn('timestamptz');

/**
 * `sending` is absent without webhooks. Its `test` sends a message that is not a change, and resolves to the reason why
 * the receiver did not accept it.
 */
export function webhookResources(
  engine: Engine,
  catalogue: Catalogue,
  sending: { readonly test: (name: string) => Promise<Sentence | undefined> } | undefined,
  audit: Audit,
): Resources {
  const { webhooks = [] } = catalogue.draft;
  const bodies = new BodyReceiver(MAX_LOGIN_BYTES);
  const store = new WebhookStore(engine);
  const list = async () => jsonAnswer(200, await webhookProgress(store, webhooks, engine, catalogue));
  const webhookOf = ({ key }: ResourceRequest): WebhookDraft => {
    const webhook = webhooks.find(({ name }) => name === key);
    if (webhook !== undefined) return webhook;
    throw new ApiError('CAT404', `no webhook has the name ${key}`, { hint: 'GET /catalogue/webhooks lists them.' });
  };
  const deliveries = async (asked: ResourceRequest) => {
    const filter = `${isOf(webhookOf(asked))}&order=seq&limit=${LISTED_DELIVERIES}`;
    return jsonAnswer(200, (await store.deliveries(filter)).map(withSentences));
  };
  const send = async (asked: ResourceRequest) => {
    const form = 'a JSON object with seq, since or test, or {} for all deliveries';
    const body = await objectIn(bodies, asked.context.call, form);
    const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name));
    if (unknown !== undefined) {
      const hint = `The members are ${MEMBERS.join(', ')}${didYouMean(unknown, MEMBERS)}.`;
      throw new ApiError('PGRST204', `a request to a webhook has no ${unknown}`, { hint, field: unknown });
    }
    const { seq, since, test: isTest } = body;
    if (Object.keys(body).length > 1)
      throw new ApiError('PGRST102', `only one of ${MEMBERS.join(', ')} can be used`, {
        hint: 'Send one request each.',
      });
    if (isTest !== undefined && isTest !== true)
      throw new ApiError('22P02', 'test is not true', { hint: 'Use true.', field: 'test', value: isTest });
    if (seq !== undefined && !Number.isSafeInteger(seq))
      throw new ApiError('22P02', 'seq is not a whole number', { field: 'seq', value: seq });
    const time = since === undefined ? undefined : momentIn(since);
    const webhook = webhookOf(asked);
    const about = { webhook: webhook.name, by: asked.context.caller?.name };
    if (isTest === true) {
      audit('a test of a webhook is requested', about);
      return jsonAnswer(200, withSentences({ reason: (await sending!.test(webhook.name)) ?? null }));
    }
    const count = await redeliver(engine, catalogue, webhook, { seq: seq as number | undefined, since: time });
    audit('deliveries of a webhook are sent again', about);
    return jsonAnswer(200, { count });
  };
  return { webhooks: { GET: list, HEAD: list }, 'webhooks/': { GET: deliveries, HEAD: deliveries, POST: send } };
}

/**
 * The progress of each declared webhook: `unsent` changes of the log, at most WEBHOOK_WAITING, and the deliveries that
 * wait for their next attempt or failed for good.
 */
export async function webhookProgress(
  store: WebhookStore,
  declared: readonly WebhookDraft[],
  engine: Engine,
  catalogue: Catalogue,
) {
  const progress = await store.progress();
  const deliveries = await store.deliveries('order=webhook,seq');
  const newest = await newestIn(engine.log);
  const count = (name: string, status: string) =>
    deliveries.filter((each) => each.webhook === name && each.status === status).length;
  return Array.fromAsync(declared, async ({ secret: _hidden, ...webhook }) => {
    const { name } = webhook;
    const { seq = null, delivered = 0, delivered_at = null } = progress.find((each) => each.name === name) ?? {};
    const changes = new WebhookChanges(engine, catalogue, webhook);
    const isBehind = seq !== null && seq < newest;
    const unsent = isBehind ? await changes.countAfter(seq, newest, WEBHOOK_WAITING) : 0;
    const [waiting, failed] = [count(name, 'waiting'), count(name, 'failed')];
    return { ...webhook, seq, delivered, delivered_at, unsent, waiting, failed };
  });
}

/** The newest position, or 0 if changes are not logged. */
async function newestIn(log: ChangeLog | undefined): Promise<number> {
  const position = await onError(
    ApiError,
    async () => log?.position(),
    (error) => {
      if (error.code !== 'CAT501') throw error;
    },
  );
  return position?.seq ?? 0;
}

/** A change, or all changes since a time. Without either, the deliveries that failed or wait. */
interface Redelivery {
  readonly seq?: number | undefined;
  readonly since?: Date | undefined;
}

/** Makes deliveries due now. Returns their number. */
export async function redeliver(
  engine: Engine,
  catalogue: Catalogue,
  webhook: WebhookDraft,
  { seq, since }: Redelivery,
): Promise<number> {
  const store = new WebhookStore(engine);
  if (seq === undefined && since === undefined)
    return sendAgain(store, webhook.name, await store.deliveries(isOf(webhook)));
  if (engine.log === undefined) throw notLogged();
  const changes = new WebhookChanges(engine, catalogue, webhook);
  if (since === undefined) return sendAgain(store, webhook.name, await changes.at([seq!], Number.MAX_SAFE_INTEGER));
  // Later changes are sent anyway.
  const passed = (await store.progress()).find(({ name }) => name === webhook.name)?.seq ?? 0;
  // The position of the last change before.
  let after = await engine.log.positionAt(new Date(since.getTime() - 1).toISOString());
  for (let count = 0; ; ) {
    const some = await changes.after(after, passed, WEBHOOK_WAITING);
    count += await sendAgain(store, webhook.name, some);
    if (some.length < WEBHOOK_WAITING) return count;
    after = some.at(-1)!.seq;
  }
}

function isOf({ name }: WebhookDraft): string {
  return `webhook=eq.${encodeURIComponent(name)}`;
}

function momentIn(value: unknown): Date {
  const read = () => (typeof value === 'string' && value !== '' ? new Date(String(MOMENT.read(value))) : undefined);
  const time = unlessRejected(read);
  if (time !== undefined && !Number.isNaN(time.getTime())) return time;
  const hint = 'Use a time such as 2026-11-18T08:30:00Z.';
  throw new ApiError('22007', 'since is not a time', { hint, field: 'since', value });
}

async function sendAgain(
  store: WebhookStore,
  webhook: string,
  changes: readonly Pick<Delivery, 'seq' | 'collection' | 'key'>[],
): Promise<number> {
  const now = new Date().toISOString();
  const first = { webhook, status: 'waiting', attempts: 0, first_at: now, next_at: null, reason: null } as const;
  const deliveries = changes.map(({ seq, collection, key }) => ({ ...first, seq, collection, key }));
  if (deliveries.length > 0) await store.redeliver(deliveries);
  return deliveries.length;
}
