/** The form of a user or key. A new key is shown once, in the same dialog. */
import { useState } from 'react';
import { managedRoles } from '../api/session/page-data.ts';
import { session } from '../api/session/session.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Check, Select, TextField, useForm } from '../components/inputs.tsx';
import { notify } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import { type Account, changeSetting, type Kind } from './api.ts';

interface AccountDialogProps {
  readonly kind: Kind;
  /** Absent for a new one. */
  readonly account?: Account | undefined;
}

export function AccountDialog({ kind, account }: AccountDialogProps) {
  const before = {
    name: account?.name ?? '',
    role: account?.role ?? managedRoles[0] ?? '',
    password: '',
    day: '',
    claims: account === undefined ? '' : JSON.stringify(account.claims),
    isDisabled: account?.isDisabled === true,
  };
  const { values, input, check } = useForm(before);
  const { name, role, password, day, claims, isDisabled } = values;
  const [key, setKey] = useState<string>();
  const isNew = account === undefined;
  const onSubmit = async () => {
    const body = {
      ...(role !== account?.role && { role }),
      ...(claims !== before.claims && { claims: claims.trim() === '' ? {} : parseClaims(claims) }),
      ...(password !== '' && { password }),
      ...(isDisabled !== before.isDisabled && { disabled: isDisabled }),
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
      {isNew ? <TextField {...input('name')} label={t.app.userName} required /> : <p>{t.settings.sessionsEnd}</p>}
      <Select {...input('role')} label={t.settings.role} options={[...new Set([...managedRoles, role])]} />
      {kind === 'users' ? (
        <TextField
          {...input('password')}
          label={isNew ? t.app.password : t.app.newPassword}
          help={isNew ? t.settings.passwordHelp : t.settings.passwordStays}
          type="password"
          autoComplete="new-password"
        />
      ) : (
        <TextField {...input('day')} label={t.settings.expires} type="date" />
      )}
      <TextField {...input('claims')} label={t.settings.claims} help={t.settings.claimsHelp} />
      {account?.isDisabled !== undefined && name !== session?.name && (
        <Check {...check('isDisabled')}>{t.settings.disabled}</Check>
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
