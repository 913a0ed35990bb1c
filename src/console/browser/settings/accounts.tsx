/** The users or keys with their roles. */
import { useState } from 'react';
import { session } from '../api/session/session.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { EmptyState, Loaded } from '../components/small.tsx';
import { notify } from '../components/toasts.tsx';
import { formatMoment } from '../fields/dates.ts';
import { t } from '../i18n/text.ts';
import { AccountDialog } from './account-dialog.tsx';
import { type Account, changeAccount, type Kind, useAccounts } from './api.ts';
import { SettingsTable } from './settings-table.tsx';

interface Opened {
  readonly action: 'edit' | 'remove';
  /** Absent for a new one. */
  readonly account?: Account;
}

export function Accounts({ kind }: { readonly kind: Kind }) {
  const query = useAccounts(kind);
  const [opened, setOpened] = useState<Opened>();
  const onClose = () => setOpened(undefined);
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setOpened({ action: 'edit' })}>
      {t.settings.add[kind]}
    </Button>
  );
  const isKeys = kind === 'keys';
  const { role, claims, created, expires, lastUsed } = t.settings;
  return (
    <>
      <Loaded query={query}>
        {(data) =>
          data.length === 0 ? (
            <EmptyState title={t.settings.none[kind]}>{add}</EmptyState>
          ) : (
            <>
              <div>{add}</div>
              <SettingsTable
                heads={[t.app.userName, role, claims, created, ...(isKeys ? [expires, lastUsed] : [])]}
                rows={data}
                cellsOf={(account) => [
                  account.isDisabled ? t.settings.disabledRole(account.role) : account.role,
                  Object.keys(account.claims).length > 0 && <code>{JSON.stringify(account.claims)}</code>,
                  formatMoment(account.created_at),
                  ...(isKeys ? timesOf(account) : []),
                ]}
                actionsOf={(account) => [
                  ...(isKeys ? [] : [{ label: t.app.change, onClick: () => setOpened({ action: 'edit', account }) }]),
                  // Nobody locks themselves out by mistake.
                  ...(account.name === session?.name
                    ? []
                    : [{ label: t.settings.remove[kind], onClick: () => setOpened({ action: 'remove', account }) }]),
                ]}
              />
            </>
          )
        }
      </Loaded>
      {opened?.action === 'edit' && <AccountDialog kind={kind} {...opened} onClose={onClose} />}
      {opened?.action === 'remove' && <RemoveDialog kind={kind} name={opened.account!.name} onClose={onClose} />}
    </>
  );
}

function timesOf({ expires_at, last_used_at }: Account): readonly string[] {
  return [
    expires_at ? formatMoment(expires_at) : t.settings.never,
    last_used_at ? formatMoment(last_used_at) : t.settings.notUsed,
  ];
}

interface RemoveDialogProps {
  readonly kind: Kind;
  readonly name: string;
  readonly onClose: () => void;
}

function RemoveDialog({ kind, name, onClose }: RemoveDialogProps) {
  const onSubmit = async () => {
    await changeAccount('DELETE', kind, name);
    notify(t.settings.removed[kind]);
    onClose();
  };
  return (
    <Dialog
      title={t.settings.removeTitle[kind](name)}
      onClose={onClose}
      submit={{ label: t.settings.remove[kind], isDanger: true, onSubmit }}
    >
      <p>{t.settings.removeText[kind]}</p>
    </Dialog>
  );
}
