/** The dialog to change one's password. It ends all other sessions of the person. */
import { useState } from 'react';
import { changePassword } from '../api/session/session.ts';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/inputs.tsx';
import { notify } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';

export default function PasswordDialog() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const onSubmit = async () => {
    await changePassword(current, next);
    notify(t.app.passwordChanged);
  };
  return (
    <Dialog title={t.app.changePassword} submit={{ label: t.app.change, onSubmit }}>
      <TextField
        type="password"
        label={t.app.currentPassword}
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
      />
      <TextField
        type="password"
        label={t.app.newPassword}
        autoComplete="new-password"
        value={next}
        onChange={setNext}
      />
    </Dialog>
  );
}
