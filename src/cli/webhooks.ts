/** `catalogue webhooks`: lists the progress and the failures of webhooks, and sends again. */
import { amount } from '../base/amount.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { WebhookDraft } from '../collection/draft.ts';
import type { Engine } from '../engine/engine.ts';
import { redeliver as redeliverChanges, webhookProgress } from '../serve/webhooks/resources.ts';
import { WebhookStore } from '../serve/webhooks/store.ts';
import { ConfigError, DATA_SETTINGS, type Values } from '../settings/by-command.ts';
import { moment, option } from '../settings/setting.ts';
import { defineCommand, JSON_OPTION, printResult } from './shared/command.ts';
import { chosenAction, printRows } from './shared/credentials.ts';
import { withDatabase } from './shared/database.ts';

const OPTIONS = {
  failed: option('--failed: send all deliveries again that failed or wait'),
  since: option<Date | undefined>('--since TIME: send all changes since this time again', undefined, moment),
  ...JSON_OPTION,
  ...DATA_SETTINGS,
} as const;
type Settings = Values<typeof OPTIONS>;
type Action = (settings: Settings, name: string, seq: string) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = { list, failures, redeliver };

export const command = defineCommand({
  options: OPTIONS,
  operands: 3,
  usage: `Usage: catalogue webhooks list [flags]
       catalogue webhooks failures [NAME] [flags]
       catalogue webhooks redeliver NAME SEQ|--failed|--since TIME [flags]

list prints the progress of each webhook, failures the deliveries that failed or wait, with their reasons. redeliver sends
a change again, at once, or all that failed, or all since a time; a running service does it within seconds.`,
  async run({ values, operands: [action = 'list', name = '', seq = ''] }) {
    await chosenAction(ACTIONS, action, 'webhooks')(values, name, seq);
  },
});

async function withWebhooks<T>(
  settings: Settings,
  work: (store: WebhookStore, declared: readonly WebhookDraft[], engine: Engine, catalogue: Catalogue) => Promise<T>,
): Promise<T> {
  return withDatabase(settings, 'never', (engine, catalogue) =>
    work(new WebhookStore(engine), catalogue.draft.webhooks ?? [], engine, catalogue),
  );
}

async function list(settings: Settings): Promise<void> {
  const rows = await withWebhooks(settings, webhookProgress);
  const columns = ['name', 'url', 'seq', 'delivered', 'delivered_at', 'unsent', 'waiting', 'failed'] as const;
  printRows(columns, rows, settings.json, 'The declaration has no webhooks.');
}

async function failures(settings: Settings, name: string): Promise<void> {
  const filter = name === '' ? '' : `webhook=eq.${encodeURIComponent(name)}&`;
  const deliveries = await withWebhooks(settings, (store, declared) => {
    if (name !== '') webhookNamed(declared, name);
    return store.deliveries(`${filter}order=webhook,seq`);
  });
  const rows = deliveries.map((each) => ({ ...each, reason: each.reason && String(each.reason) }));
  const columns = ['webhook', 'seq', 'collection', 'key', 'status', 'attempts', 'next_at', 'reason'] as const;
  printRows(columns, rows, settings.json, 'No delivery failed or waits.');
}

function webhookNamed(declared: readonly WebhookDraft[], name: string): WebhookDraft {
  const webhook = declared.find((each) => each.name === name);
  if (webhook !== undefined) return webhook;
  throw new ConfigError(`unknown webhook '${name}'; catalogue webhooks list shows all`);
}

async function redeliver(settings: Settings, name: string, seq: string): Promise<void> {
  const { failed, since } = settings;
  if (seq !== '' && !/^\d{1,15}$/.test(seq)) throw new ConfigError(`'${seq}' is not the seq of a change`);
  if ([seq !== '', failed, since !== undefined].filter(Boolean).length !== 1) {
    throw new ConfigError('name what to send again. Use: redeliver NAME SEQ, or --failed, or --since TIME');
  }
  const count = await withWebhooks(settings, async (_store, declared, engine, catalogue) => {
    const webhook = webhookNamed(declared, name);
    return redeliverChanges(engine, catalogue, webhook, { seq: seq === '' ? undefined : Number(seq), since });
  });
  if (seq !== '' && count === 0) throw new ConfigError(`the log has no change ${seq} that the webhook ${name} sends`);
  const words = `The service sends ${amount(count, 'change')} again.`;
  printResult(settings.json, { name, ...(seq === '' ? {} : { seq: Number(seq) }), count }, words);
}
