/**
 * Webhooks at /catalogue/webhooks, for callers with every right: their progress, the deliveries that failed or wait,
 * and the requests to send them again or to send a test. `catalogue webhooks` does the same, except for tests.
 */
import { ApiError } from '../../base/errors.ts';
import { MAX_LOGIN_BYTES } from '../../base/limits/auth.ts';
import { WEBHOOK_WAITING } from '../../base/limits/engine.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import type { Catalogue } from '../../collection/declaration.ts';
import type { WebhookDraft } from '../../collection/draft.ts';
import type { ChangeLog, Engine } from '../../engine/engine.ts';
import { BodyReceiver } from '../../http/body/body-receiver.ts';
import { objectIn } from '../../http/body/parse-body.ts';
import { type Audit, jsonAnswer, type ResourceRequest, type Resources } from '../../response/own-resources.ts';
import { WebhookChanges } from './changes.ts';
import { type Delivery, WebhookStore } from './store.ts';

/** The members of a request that sends. */
const MEMBERS: readonly string[] = ['seq', 'test'];

/** `test` sends a message that is not a change, and resolves to the reason why the receiver did not accept it. */
export function webhookResources(
  engine: Engine,
  catalogue: Catalogue,
  { test }: { readonly test: (name: string) => Promise<string | undefined> },
  audit: Audit,
): Resources {
  const { webhooks = [] } = catalogue.draft;
  const bodies = new BodyReceiver(MAX_LOGIN_BYTES);
  const store = new WebhookStore(engine);
  const list = async () => jsonAnswer(200, await webhookProgress(store, webhooks, engine, catalogue));
  const nameIn = ({ key }: ResourceRequest): string => {
    if (!webhooks.some(({ name }) => name === key))
      throw new ApiError('CAT404', `no webhook has the name ${key}`, { hint: 'GET /catalogue/webhooks lists them.' });
    return key!;
  };
  const deliveriesOf = (asked: ResourceRequest): Promise<readonly Delivery[]> =>
    store.deliveries(`webhook=eq.${encodeURIComponent(nameIn(asked))}&order=seq`);
  const deliveries = async (asked: ResourceRequest) => jsonAnswer(200, await deliveriesOf(asked));
  const redeliver = async (asked: ResourceRequest) => {
    const form = 'a JSON object with seq or test, or {} for all deliveries';
    const body = await objectIn(bodies, asked.context.call, form);
    const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name));
    if (unknown !== undefined) {
      const hint = `The members are ${MEMBERS.join(', ')}${didYouMean(unknown, MEMBERS)}.`;
      throw new ApiError('PGRST204', `a request to a webhook has no ${unknown}`, { hint, field: unknown });
    }
    const { seq, test: isTest } = body;
    if (isTest !== undefined && isTest !== true)
      throw new ApiError('22P02', 'test is not true', { hint: 'Use true.', field: 'test', value: isTest });
    const about = { webhook: nameIn(asked), by: asked.context.caller?.name };
    if (isTest === true) {
      audit('a test of a webhook is requested', about);
      return jsonAnswer(200, { reason: (await test(about.webhook)) ?? null });
    }
    if (seq !== undefined && !Number.isSafeInteger(seq))
      throw new ApiError('22P02', 'seq is not a whole number', { field: 'seq', value: seq });
    const chosen = (await deliveriesOf(asked)).filter((each) => seq === undefined || Number(each.seq) === seq);
    const count = await sendAgain(store, about.webhook, chosen);
    audit('deliveries of a webhook are sent again', about);
    return jsonAnswer(200, { count });
  };
  return { webhooks: { GET: list, HEAD: list }, 'webhooks/': { GET: deliveries, HEAD: deliveries, POST: redeliver } };
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
  try {
    return (await log?.position())?.seq ?? 0;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'CAT501') return 0;
    throw error;
  }
}

/** Makes deliveries due now. Returns their number. */
export async function sendAgain(
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
