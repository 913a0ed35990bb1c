/** The form of a user or key. A new key is shown once, in the same dialog. */
import { useState } from 'react';
import { problemOf } from '../api/errors.ts';
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
  const [problems, setProblems] = useState<Problems>({});
  const isNew = account === undefined;
  const save = async () => {
    const body = {
      ...(role !== account?.role && { role }),
      ...(claims !== before.claims && { claims: readClaims(claims) }),
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
  const onSubmit = () => {
    setProblems({});
    return save().catch((error) => {
      const rejected = problemsIn(error);
      if (rejected === undefined) throw error;
      setProblems(rejected);
      return false;
    });
  };
  if (key !== undefined)
    return (
      // A dialog of its own, which takes the focus of the form.
      <Dialog
        key={key}
        isKept
        title={t.settings.newKey(name)}
        actions={<CopyButton text={key} label={t.settings.copy} />}
      >
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
        <TextField {...input('name')} label={t.app.userName} required problem={problems.name} />
      ) : (
        <p>{t.settings.sessionsEnd}</p>
      )}
      <Select {...input('role')} label={t.settings.role} options={[...new Set([...managedRoles, role])]} />
      {kind === 'users' ? (
        <TextField
          {...input('password')}
          label={isNew ? t.app.password : t.app.newPassword}
          help={isNew ? t.settings.passwordHelp : t.settings.passwordStays}
          problem={problems.password}
          required={isNew}
          type="password"
          autoComplete="new-password"
        />
      ) : (
        <TextField {...input('day')} label={t.settings.expires} type="date" problem={problems.expires_at} />
      )}
      <TextField
        {...input('claims')}
        label={t.settings.claims}
        help={t.settings.claimsHelp}
        problem={problems.claims}
      />
      {account?.isDisabled !== undefined && name !== session?.name && (
        <Check {...check('isDisabled')}>{t.settings.disabled}</Check>
      )}
    </Dialog>
  );
}

/** The service rejects a text that is not JSON, like every value that is not an object. */
function readClaims(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

type Problems = Readonly<Record<string, string | undefined>>;

/** The problem of a rejected value, by the input that has it. */
function problemsIn(error: unknown): Problems | undefined {
  const { code, field = '', value } = problemOf(error) ?? {};
  const problems: Problems = {
    name: code === '23505' ? t.settings.nameTaken(String(value)) : t.settings.nameForm,
    password: t.settings.passwordHelp,
    claims: t.settings.claimsForm,
    expires_at: t.settings.expired,
  };
  return problems[field] === undefined ? undefined : { [field]: problems[field] };
}
