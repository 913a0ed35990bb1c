/** The users or keys with their roles. */
import { useState } from 'react';
import { session } from '../api/session/session.ts';
import { notify } from '../app/toasts.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { EmptyState, ErrorMessage, Skeleton } from '../components/small.tsx';
import { formatMoment } from '../fields/dates.ts';
import { t } from '../i18n/text.ts';
import { AccountDialog } from './account-dialog.tsx';
import { type Account, changeAccount, type Kind, useAccounts } from './api.ts';
import { useSubmit } from './use-submit.ts';

type Opened = 'new' | { readonly account: Account; readonly action: 'change' | 'remove' };

export function Accounts({ kind }: { readonly kind: Kind }) {
  const { data, error, refetch } = useAccounts(kind);
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setOpened('new')}>
      {t.settings.add[kind]}
    </Button>
  );
  return (
    <>
      {data.length === 0 ? <EmptyState title={t.settings.none[kind]}>{add}</EmptyState> : <div>{add}</div>}
      {data.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>{t.settings.name}</th>
              <th>{t.settings.role}</th>
              <th>{t.settings.claims}</th>
              <th>{t.settings.created}</th>
              {kind === 'keys' && <th>{t.settings.expires}</th>}
              <td />
            </tr>
          </thead>
          <tbody>
            {data.map((account) => (
              <tr key={account.name}>
                <th scope="row">{account.name}</th>
                <td>{account.role}</td>
                <td>{Object.keys(account.claims).length === 0 ? '' : <code>{JSON.stringify(account.claims)}</code>}</td>
                <td>{formatMoment(account.created_at)}</td>
                {kind === 'keys' && <td>{account.expires_at ? formatMoment(account.expires_at) : t.settings.never}</td>}
                <td>
                  <div className="line">
                    {kind === 'users' && (
                      <Button onClick={() => setOpened({ account, action: 'change' })}>
                        {t.app.change}
                        <span className="visually-hidden"> {account.name}</span>
                      </Button>
                    )}
                    {/* Nobody locks themselves out by mistake. */}
                    {account.name !== session?.name && (
                      <Button onClick={() => setOpened({ account, action: 'remove' })}>
                        {t.settings.remove[kind]}
                        <span className="visually-hidden"> {account.name}</span>
                      </Button>
                    )}
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {opened === 'new' && <AccountDialog kind={kind} onClose={close} />}
      {typeof opened === 'object' && opened.action === 'change' && (
        <AccountDialog kind={kind} account={opened.account} onClose={close} />
      )}
      {typeof opened === 'object' && opened.action === 'remove' && (
        <RemoveDialog kind={kind} name={opened.account.name} onClose={close} />
      )}
    </>
  );
}

interface RemoveDialogProps {
  readonly kind: Kind;
  readonly name: string;
  readonly onClose: () => void;
}

function RemoveDialog({ kind, name, onClose }: RemoveDialogProps) {
  const { error, ...submit } = useSubmit(async () => {
    await changeAccount('DELETE', kind, name);
    notify(t.settings.removed[kind]);
    onClose();
  });
  return (
    <Dialog
      title={t.settings.removeTitle[kind](name)}
      onClose={onClose}
      submit={{ label: t.settings.remove[kind], isDanger: true, ...submit }}
    >
      <p>{t.settings.removeText[kind]}</p>
      {error !== undefined && <ErrorMessage error={error} />}
    </Dialog>
  );
}
