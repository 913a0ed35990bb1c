/** The dialog to change one's password. It ends all other sessions of the person. */
import { changePassword } from '../api/session/session.ts';
import { Dialog } from '../components/dialog.tsx';
import { TextField, useForm } from '../components/inputs.tsx';
import { notify } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';

export default function PasswordDialog() {
  const { values, input } = useForm({ current: '', next: '' });
  const onSubmit = async () => {
    await changePassword(values.current, values.next);
    notify(t.app.passwordChanged);
  };
  return (
    <Dialog title={t.app.changePassword} submit={{ label: t.app.change, onSubmit }}>
      <TextField {...input('current')} type="password" label={t.app.currentPassword} autoComplete="current-password" />
      <TextField {...input('next')} type="password" label={t.app.newPassword} autoComplete="new-password" />
    </Dialog>
  );
}
