/** The webhooks of the declaration, with their progress and the deliveries that failed or wait. */
import { Button } from '../components/button.tsx';
import { EmptyState, Loaded } from '../components/small.tsx';
import { notify, notifyError } from '../components/toasts.tsx';
import { formatMoment } from '../fields/dates.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { changeSetting, useSetting } from './api.ts';
import { DeclaredText } from './declared-text.tsx';
import { SettingsTable } from './settings-table.tsx';

interface Webhook {
  readonly name: string;
  readonly url: string;
  readonly delivered: number;
  readonly delivered_at: string | null;
  readonly waiting: number;
  readonly failed: number;
}

interface Delivery {
  readonly seq: number;
  readonly collection: string;
  readonly key: string | null;
  readonly attempts: number;
  readonly next_at: string | null;
  readonly reason: string | null;
}

export function Webhooks() {
  return (
    <Loaded query={useSetting<readonly Webhook[]>('webhooks')}>
      {(data) =>
        data.length === 0 ? (
          <EmptyState title={t.settings.noWebhooks} />
        ) : (
          data.map((each) => <WebhookPart key={each.name} webhook={each} />)
        )
      }
    </Loaded>
  );
}

function WebhookPart({
  webhook: { name, url, delivered, delivered_at, waiting, failed },
}: {
  readonly webhook: Webhook;
}) {
  const path = `webhooks/${encodeURIComponent(name)}`;
  const { data = [] } = useSetting<readonly Delivery[]>(path, waiting + failed > 0);
  const report = (answer: unknown) => notify(t.settings.sentAgain((answer as { readonly count: number }).count));
  const send = (body: { readonly seq?: number }) => changeSetting('POST', path, body).then(report, notifyError);
  const last = delivered_at === null ? t.settings.neverDelivered : formatMoment(delivered_at);
  return (
    <section className="panel stack settings-part">
      <div className="line wrap">
        <h2>{name}</h2>
        <code>{url}</code>
        <span className="space" />
        {data.length > 0 && <Button onClick={() => void send({})}>{t.settings.sendAllAgain}</Button>}
      </div>
      <p>{t.settings.progress(formatNumber(delivered), last, formatNumber(waiting), formatNumber(failed))}</p>
      {data.length > 0 && (
        <SettingsTable
          heads={t.settings.deliveryHeads}
          rows={data.map((each) => ({ ...each, name: String(each.seq) }))}
          cellsOf={({ collection, key, attempts, next_at, reason }) => [
            `${collection} ${key ?? ''}`,
            formatNumber(attempts),
            next_at === null ? '' : formatMoment(next_at),
            reason,
          ]}
          actionsOf={({ seq }) => [{ label: t.settings.sendAgain, onClick: () => void send({ seq }) }]}
        />
      )}
      <DeclaredText path={['webhooks', name]} />
    </section>
  );
}
