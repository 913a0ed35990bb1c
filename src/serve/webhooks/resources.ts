/**
 * Webhooks at /catalogue/webhooks, for callers with every right: their progress, the deliveries that failed or wait,
 * and the request to send them again. `catalogue webhooks` does the same.
 */
import { ApiError } from '../../base/errors.ts';
import { MAX_LOGIN_BYTES } from '../../base/limits/auth.ts';
import type { Catalogue } from '../../collection/declaration.ts';
import type { WebhookDraft } from '../../collection/draft.ts';
import type { Engine } from '../../engine/engine.ts';
import { BodyReceiver } from '../../http/body/body-receiver.ts';
import { objectIn } from '../../http/body/parse-body.ts';
import { type Audit, jsonAnswer, type ResourceRequest, type Resources } from '../../response/own-resources.ts';
import { type Delivery, WebhookStore } from './store.ts';

export function webhookResources(engine: Engine, { draft }: Catalogue, audit: Audit): Resources {
  const { webhooks = [] } = draft;
  const bodies = new BodyReceiver(MAX_LOGIN_BYTES);
  const store = new WebhookStore(engine);
  const list = async () => jsonAnswer(200, await webhookProgress(store, webhooks));
  const deliveriesOf = ({ key }: ResourceRequest): Promise<readonly Delivery[]> => {
    if (!webhooks.some(({ name }) => name === key))
      throw new ApiError('CAT404', `no webhook has the name ${key}`, { hint: 'GET /catalogue/webhooks lists them.' });
    return store.deliveries(`webhook=eq.${encodeURIComponent(key!)}&order=seq`);
  };
  const deliveries = async (asked: ResourceRequest) => jsonAnswer(200, await deliveriesOf(asked));
  const redeliver = async (asked: ResourceRequest) => {
    const { seq } = await objectIn(bodies, asked.context.call, 'a JSON object with seq, or {} for all deliveries');
    if (seq !== undefined && !Number.isSafeInteger(seq))
      throw new ApiError('22P02', 'seq is not a whole number', { field: 'seq', value: seq });
    const chosen = (await deliveriesOf(asked)).filter((each) => seq === undefined || Number(each.seq) === seq);
    const count = await sendAgain(store, asked.key!, chosen);
    audit('deliveries of a webhook are sent again', { webhook: asked.key, by: asked.context.caller?.name });
    return jsonAnswer(200, { count });
  };
  return { webhooks: { GET: list, HEAD: list }, 'webhooks/': { GET: deliveries, HEAD: deliveries, POST: redeliver } };
}

/** The progress of each declared webhook, with the number of deliveries that wait or failed. */
export async function webhookProgress(store: WebhookStore, declared: readonly WebhookDraft[]) {
  const progress = await store.progress();
  const deliveries = await store.deliveries('order=webhook,seq');
  const count = (name: string, status: string) =>
    deliveries.filter((each) => each.webhook === name && each.status === status).length;
  return declared.map(({ name, url }) => {
    const { seq = null, delivered = 0, delivered_at = null } = progress.find((each) => each.name === name) ?? {};
    const [waiting, failed] = [count(name, 'waiting'), count(name, 'failed')];
    return { name, url, seq, delivered, delivered_at, waiting, failed };
  });
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
