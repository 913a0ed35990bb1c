/** The dialog to change one's password. It ends all other sessions of the person. */
import { useState } from 'react';
import { explain, explainProblem } from '../api/explain.ts';
import { changePassword } from '../api/session/session.ts';
import { Dialog } from '../components/dialog.tsx';
import { t } from '../i18n/text.ts';
import { SecretInput } from './secret-input.tsx';
import { notify } from './toasts.tsx';

export default function PasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const onSubmit = async () => {
    setBusy(true);
    const wrong = await changePassword(current, next).then((each) => each && explainProblem(each), explain);
    setBusy(false);
    setProblem(wrong);
    if (wrong !== undefined) return;
    notify(t.app.passwordChanged);
    onClose();
  };
  return (
    <Dialog
      title={t.app.changePassword}
      onClose={onClose}
      submit={{ label: t.app.change, isBusy, onSubmit: () => void onSubmit() }}
    >
      <SecretInput
        label={t.app.currentPassword}
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
      />
      <SecretInput label={t.app.newPassword} autoComplete="new-password" value={next} onChange={setNext} />
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
