/** `catalogue webhooks`: lists the progress and the failures of webhooks, and sends again. */
import type { Catalogue } from '../collection/declaration.ts';
import type { WebhookDraft } from '../collection/draft.ts';
import type { Engine } from '../engine/engine.ts';
import { WebhookChanges } from '../serve/webhooks/changes.ts';
import { WebhookStore } from '../serve/webhooks/store.ts';
import { ConfigError, DATA_SETTINGS, type Values } from '../settings/by-command.ts';
import { defineCommand, JSON_OPTION, printResult } from './shared/command.ts';
import { chosenAction, printRows } from './shared/credentials.ts';
import { withDatabase } from './shared/database.ts';

const OPTIONS = { ...JSON_OPTION, ...DATA_SETTINGS } as const;
type Settings = Values<typeof OPTIONS>;
type Action = (settings: Settings, name: string, seq: string) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { list, failures, redeliver };

export const command = defineCommand({
  options: OPTIONS,
  operands: 3,
  usage: `Usage: catalogue webhooks list [flags]
       catalogue webhooks failures [NAME] [flags]
       catalogue webhooks redeliver NAME SEQ [flags]

list prints the progress of each webhook, failures the deliveries that failed or wait, with their reasons. redeliver sends
a change again, at once; a running service does it within seconds.`,
  async run({ values, operands: [action = 'list', name = '', seq = ''] }) {
    await chosenAction(ACTIONS, action, 'webhooks')(values, name, seq);
  },
});

async function withWebhooks<T>(
  settings: Settings,
  isWriting: boolean,
  work: (store: WebhookStore, declared: readonly WebhookDraft[], engine: Engine, catalogue: Catalogue) => Promise<T>,
): Promise<T> {
  return withDatabase(settings, 'never', async (engine, catalogue) => {
    const store = new WebhookStore(engine);
    await store.open(isWriting);
    return work(store, catalogue.draft.webhooks ?? [], engine, catalogue);
  });
}

async function list(settings: Settings): Promise<void> {
  const rows = await withWebhooks(settings, false, async (store, declared) => {
    const progress = await store.progress();
    const deliveries = await store.deliveries('order=webhook,seq');
    const count = (name: string, status: string) =>
      deliveries.filter((each) => each.webhook === name && each.status === status).length;
    return declared.map(({ name, url }) => {
      const { seq = null, delivered = 0, delivered_at = null } = progress.find((each) => each.name === name) ?? {};
      const [waiting, failed] = [count(name, 'waiting'), count(name, 'failed')];
      return { name, url, seq, delivered, delivered_at, waiting, failed };
    });
  });
  const columns = ['name', 'url', 'seq', 'delivered', 'delivered_at', 'waiting', 'failed'] as const;
  printRows(columns, rows, settings.json, 'The declaration has no webhooks.');
}

async function failures(settings: Settings, name: string): Promise<void> {
  const filter = name === '' ? '' : `webhook=eq.${encodeURIComponent(name)}&`;
  const rows = await withWebhooks(settings, false, (store) => store.deliveries(`${filter}order=webhook,seq`));
  const columns = ['webhook', 'seq', 'collection', 'key', 'status', 'attempts', 'next_at', 'reason'] as const;
  printRows(columns, rows, settings.json, 'No delivery failed or waits.');
}

async function redeliver(settings: Settings, name: string, text: string): Promise<void> {
  if (!/^\d{1,15}$/.test(text)) throw new ConfigError(`'${text}' is not the seq of a change. Use: redeliver NAME SEQ`);
  const seq = Number(text);
  await withWebhooks(settings, true, async (store, declared, engine, catalogue) => {
    const webhook = declared.find((each) => each.name === name);
    if (webhook === undefined) throw new ConfigError(`unknown webhook '${name}'; catalogue webhooks list shows all`);
    const changes = new WebhookChanges(engine, catalogue, webhook);
    const [change] = await changes.at([seq], Number.MAX_SAFE_INTEGER);
    if (change === undefined) throw new ConfigError(`the log has no change ${seq} that the webhook ${name} sends`);
    const { collection, key } = change;
    const first = {
      status: 'waiting',
      attempts: 0,
      first_at: new Date().toISOString(),
      next_at: null,
      reason: null,
    } as const;
    await store.redeliver({ webhook: name, seq, collection, key, ...first });
  });
  printResult(settings.json, { name, seq }, `The service sends change ${seq} again.`);
}
