/** The form of a user or key. A new key is shown once, in the same dialog. */
import { useState } from 'react';
import { managedRoles } from '../api/session/page-data.ts';
import { session } from '../api/session/session.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Check, Select, TextField } from '../components/inputs.tsx';
import { notify } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import { type Account, changeSetting, type Kind } from './api.ts';

interface AccountDialogProps {
  readonly kind: Kind;
  /** Absent for a new one. */
  readonly account?: Account | undefined;
}

export function AccountDialog({ kind, account }: AccountDialogProps) {
  const [name, setName] = useState(account?.name ?? '');
  const [chosenRole, setRole] = useState(account?.role);
  const [password, setPassword] = useState('');
  const [day, setDay] = useState('');
  const claimsBefore = account === undefined ? '' : JSON.stringify(account.claims);
  const [claims, setClaims] = useState(claimsBefore);
  const [key, setKey] = useState<string>();
  const [isDisabled, setDisabled] = useState(account?.isDisabled);
  const role = chosenRole ?? managedRoles[0] ?? '';
  const isNew = account === undefined;
  const onSubmit = async () => {
    const body = {
      ...(role !== account?.role && { role }),
      ...(claims !== claimsBefore && { claims: claims.trim() === '' ? {} : parseClaims(claims) }),
      ...(password !== '' && { password }),
      ...(isDisabled !== account?.isDisabled && { disabled: isDisabled }),
      ...(day !== '' && { expires_at: new Date(`${day}T23:59:59`).toISOString() }),
    };
    const answer = isNew
      ? await changeSetting('POST', kind, { name, ...body })
      : await changeSetting('PATCH', `${kind}/${encodeURIComponent(name)}`, body);
    notify(isNew ? t.settings.added[kind] : t.settings.changed);
    const created = (answer as { readonly key?: string } | undefined)?.key;
    setKey(created);
    return created === undefined;
  };
  if (key !== undefined)
    return (
      <Dialog isKept title={t.settings.newKey(name)} actions={<CopyButton text={key} label={t.settings.copy} />}>
        <p>{t.settings.keyOnce}</p>
        <pre>{key}</pre>
      </Dialog>
    );
  return (
    <Dialog
      title={isNew ? t.settings.add[kind] : t.settings.change(name)}
      submit={{ label: isNew ? t.app.add : t.app.change, onSubmit }}
    >
      {isNew ? (
        <TextField label={t.app.userName} required value={name} onChange={setName} />
      ) : (
        <p>{t.settings.sessionsEnd}</p>
      )}
      <Select label={t.settings.role} value={role} options={[...new Set([...managedRoles, role])]} onChange={setRole} />
      {kind === 'users' ? (
        <TextField
          label={isNew ? t.app.password : t.app.newPassword}
          help={isNew ? t.settings.passwordHelp : t.settings.passwordStays}
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
        />
      ) : (
        <TextField label={t.settings.expires} type="date" value={day} onChange={setDay} />
      )}
      <TextField label={t.settings.claims} help={t.settings.claimsHelp} value={claims} onChange={setClaims} />
      {isDisabled !== undefined && name !== session?.name && (
        <Check checked={isDisabled} onChange={setDisabled}>
          {t.settings.disabled}
        </Check>
      )}
    </Dialog>
  );
}

function parseClaims(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(t.settings.claimsWrong);
  }
}
