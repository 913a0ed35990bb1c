/** The users or keys with their roles. */
import { session } from '../api/session/session.ts';
import { Dialog, showDialog } from '../components/dialog.tsx';
import { notify } from '../components/toasts.tsx';
import { formatMoment } from '../fields/dates.ts';
import { t } from '../i18n/text.ts';
import { AccountDialog } from './account-dialog.tsx';
import { type Account, changeSetting, type Kind, useAccounts } from './api.ts';
import { SettingsList, SettingsTable } from './settings-parts.tsx';

export function Accounts({ kind }: { readonly kind: Kind }) {
  const query = useAccounts(kind);
  const edit = (account?: Account) => showDialog(<AccountDialog kind={kind} account={account} />);
  const isKeys = kind === 'keys';
  const { role, claims, created, expires, lastUsed } = t.settings;
  const label = t.settings.remove[kind];
  const remove = ({ name }: Account) => {
    const onSubmit = async () => {
      await changeSetting('DELETE', `${kind}/${encodeURIComponent(name)}`);
      notify(t.settings.removed[kind]);
    };
    return showDialog(
      <Dialog title={t.settings.removeTitle[kind](name)} submit={{ label, isDanger: true, onSubmit }}>
        <p>{t.settings.removeText[kind]}</p>
      </Dialog>,
    );
  };
  return (
    <SettingsList
      query={query}
      empty={{ title: t.settings.none[kind] }}
      add={{ label: t.settings.add[kind], onClick: () => edit() }}
    >
      {(data) => (
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
            !isKeys && { label: t.app.change, onClick: () => edit(account) },
            // Nobody locks themselves out by mistake.
            account.name !== session?.name && { label, onClick: () => remove(account) },
          ]}
        />
      )}
    </SettingsList>
  );
}

function timesOf({ expires_at, last_used_at }: Account): readonly string[] {
  return [
    expires_at ? formatMoment(expires_at) : t.settings.never,
    last_used_at ? formatMoment(last_used_at) : t.settings.notUsed,
  ];
}
