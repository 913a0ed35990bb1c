/**
 * Webhooks at /catalogue/webhooks, for callers with every right: their progress, the deliveries that failed or wait,
 * and the requests to send them again or to send a test. `catalogue webhooks` does the same.
 */
import { ApiError } from '../../base/errors.ts';
import { MAX_LOGIN_BYTES } from '../../base/limits/auth.ts';
import { WEBHOOK_WAITING } from '../../base/limits/engine.ts';
import type { Catalogue } from '../../collection/declaration.ts';
import type { WebhookDraft } from '../../collection/draft.ts';
import type { Engine } from '../../engine/engine.ts';
import { BodyReceiver } from '../../http/body/body-receiver.ts';
import { objectIn } from '../../http/body/parse-body.ts';
import { type Audit, jsonAnswer, type ResourceRequest, type Resources } from '../../response/own-resources.ts';
import { WebhookChanges } from './changes.ts';
import { type Delivery, WebhookStore } from './store.ts';

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
    const { seq, test: isTest } = await objectIn(bodies, asked.context.call, form);
    if (isTest === true) return jsonAnswer(200, { reason: (await test(nameIn(asked))) ?? null });
    if (seq !== undefined && !Number.isSafeInteger(seq))
      throw new ApiError('22P02', 'seq is not a whole number', { field: 'seq', value: seq });
    const chosen = (await deliveriesOf(asked)).filter((each) => seq === undefined || Number(each.seq) === seq);
    const count = await sendAgain(store, asked.key!, chosen);
    audit('deliveries of a webhook are sent again', { webhook: asked.key, by: asked.context.caller?.name });
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
  const newest = (await engine.log?.position())?.seq ?? 0;
  const count = (name: string, status: string) =>
    deliveries.filter((each) => each.webhook === name && each.status === status).length;
  return Promise.all(
    declared.map(async ({ secret: _hidden, ...webhook }) => {
      const { name } = webhook;
      const { seq = null, delivered = 0, delivered_at = null } = progress.find((each) => each.name === name) ?? {};
      const changes = new WebhookChanges(engine, catalogue, webhook);
      const unsent = seq === null ? 0 : (await changes.after(seq, newest, WEBHOOK_WAITING)).length;
      const [waiting, failed] = [count(name, 'waiting'), count(name, 'failed')];
      return { ...webhook, seq, delivered, delivered_at, unsent, waiting, failed };
    }),
  );
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
