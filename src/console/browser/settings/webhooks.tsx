/** The webhooks of the declaration, with their progress and the deliveries that failed or wait. */
import { useState } from 'react';
import type { Sentence } from '../../../base/sentence.ts';
import type { WebhookDraft } from '../../../collection/draft.ts';
import { Button } from '../components/button.tsx';
import { Dialog, showDialog } from '../components/dialog.tsx';
import { TextField } from '../components/inputs.tsx';
import { notifyError } from '../components/toasts.tsx';
import { formatMoment } from '../fields/dates.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t, translated } from '../i18n/text.ts';
import { changeSetting, type Patch, useSetting } from './api.ts';
import { DeclaredText } from './declared-text.tsx';
import { previewChange } from './preview-dialog.tsx';
import { SettingsList, SettingsPart, SettingsTable } from './settings-parts.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

interface Webhook extends Omit<WebhookDraft, 'secret'> {
  readonly delivered: number;
  readonly delivered_at: string | null;
  /** Changes in the log that were not tried yet. */
  readonly unsent: number;
  /** Deliveries that wait for the next attempt, and those that failed for good. */
  readonly waiting: number;
  readonly failed: number;
}

interface Delivery extends Reason {
  readonly seq: number;
  readonly collection: string;
  readonly key: string | null;
  readonly attempts: number;
  readonly next_at: string | null;
}

/** How often the progress is read again. */
const REFRESH_MS = 3_000;

export function Webhooks() {
  const query = useSetting<readonly Webhook[]>('webhooks', true, REFRESH_MS);
  const edit = (webhook?: Webhook) =>
    showDialog(<WebhookDialog webhook={webhook} taken={query.data?.map(({ name }) => name) ?? []} />);
  return (
    <SettingsList
      query={query}
      empty={{ title: t.settings.noWebhooks, text: t.settings.aboutWebhooks }}
      add={{ label: t.settings.addWebhook, onClick: () => edit() }}
    >
      {(data) => data.map((each) => <WebhookPart key={each.name} webhook={each} onChange={() => edit(each)} />)}
    </SettingsList>
  );
}

interface WebhookPartProps {
  readonly webhook: Webhook;
  readonly onChange: () => void;
}

function WebhookPart({ webhook, onChange }: WebhookPartProps) {
  const { name, url, delivered, delivered_at, unsent, waiting, failed } = webhook;
  const path = `webhooks/${encodeURIComponent(name)}`;
  const hasDeliveries = waiting + failed > 0;
  const { data } = useSetting<readonly Delivery[]>(path, hasDeliveries, REFRESH_MS);
  // Those that were read before may be done.
  const deliveries = hasDeliveries && data !== undefined ? data : [];
  const [result, setResult] = useState<string>();
  const send = async (body: Patch, words: (answer: Sent) => string) =>
    setResult(words((await changeSetting('POST', path, body)) as Sent));
  const sendAgain = (body: Patch) => send(body, ({ count }) => t.settings.sentAgain(count));
  const test = () =>
    send({ test: true }, (answer) =>
      answer.reason === null ? t.settings.testAccepted : t.settings.testFailed(reasonIn(answer)),
    ).catch(notifyError);
  const last = delivered_at === null ? t.settings.neverDelivered : formatMoment(delivered_at);
  const actions = [
    { label: t.settings.sendTest, onClick: test },
    {
      label: t.settings.sendAgainSince,
      onClick: () => showDialog(<SinceDialog send={(since) => sendAgain({ since })} />),
    },
    { label: t.app.change, onClick: onChange },
    { label: t.settings.remove.users, onClick: () => previewChange({ webhooks: { [name]: null } }) },
  ];
  return (
    <SettingsPart title={name} about={<code>{url}</code>} actions={actions}>
      <p role="status">{result}</p>
      <dl className="counts line wrap">
        {[formatNumber(delivered), last, formatNumber(unsent), formatNumber(waiting), formatNumber(failed)].map(
          (value, at) => (
            <div key={t.settings.progressHeads[at]}>
              <dt>{t.settings.progressHeads[at]}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {deliveries.length > 0 && (
        <>
          <SettingsTable
            heads={t.settings.deliveryHeads}
            rows={deliveries.map((each) => ({ ...each, name: String(each.seq) }))}
            cellsOf={(each) => [
              `${each.collection} ${each.key ?? ''}`,
              formatNumber(each.attempts),
              each.next_at === null ? '' : formatMoment(each.next_at),
              reasonIn(each),
            ]}
            actionsOf={({ seq }) => [
              { label: t.settings.sendAgain, onClick: () => void sendAgain({ seq }).catch(notifyError) },
            ]}
          />
          <div>
            <Button onClick={() => void sendAgain({}).catch(notifyError)}>{t.settings.sendAllAgain}</Button>
          </div>
        </>
      )}
      <DeclaredText path={['webhooks', name]} />
    </SettingsPart>
  );
}

function SinceDialog({ send }: { readonly send: (since: string) => Promise<void> }) {
  const [time, setTime] = useState('');
  const onSubmit = () => {
    if (time === '') throw new Error(t.errors.required);
    return send(new Date(time).toISOString());
  };
  return (
    <Dialog title={t.settings.sendAgainSince} submit={{ label: t.settings.sendAgain, onSubmit }}>
      <TextField type="datetime-local" required label={t.settings.firstChange} value={time} onChange={setTime} />
    </Dialog>
  );
}

/** The answer to a request to send. */
interface Sent extends Reason {
  readonly count: number;
}

/** Why the receiver did not accept a message. */
interface Reason {
  readonly reason: string | null;
  readonly sentences?: { readonly reason: Sentence };
}

const reasonIn = ({ reason, sentences }: Reason): string => translated(sentences?.reason ?? reason ?? '');
