/** Asks for the password, or for a token, when the session or the token has ended. The page behind it stays. */
import { useState } from 'react';
import { useQuestions } from '../api/question.ts';
import { credentialsEnd } from '../api/session/credentials.ts';
import { isLoggedIn, logIn, requestLogin, session } from '../api/session/session.ts';
import { token } from '../api/session/token.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/inputs.tsx';
import { Problem } from '../components/small.tsx';
import { t } from '../i18n/text.ts';

export function CredentialsDialog() {
  return useQuestions(credentialsEnd).map(({ id, subject, answer }) => (
    <CredentialsForm key={id} reason={subject} close={answer} />
  ));
}

interface CredentialsFormProps {
  readonly reason: string;
  readonly close: (isRenewed: boolean) => void;
}

function CredentialsForm({ reason, close }: CredentialsFormProps) {
  const [secret, setSecret] = useState('');
  const onSubmit = async () => {
    if (isLoggedIn) await logIn(session?.name ?? '', secret);
    else token.set(secret.trim());
    close(true);
  };
  return (
    <Dialog
      title={t.app.logInAgain}
      onClose={() => close(false)}
      submit={{ label: t.app.logIn, onSubmit }}
      actions={isLoggedIn && <Button onClick={() => requestLogin(reason)}>{t.app.logInAsOther}</Button>}
    >
      <Problem>{reason}</Problem>
      <p>{isLoggedIn ? t.app.passwordOf(session?.name ?? '') : t.app.newToken}</p>
      <TextField
        type="password"
        required
        label={isLoggedIn ? t.app.password : t.app.token}
        autoComplete={isLoggedIn ? 'current-password' : 'off'}
        value={secret}
        onChange={setSecret}
      />
    </Dialog>
  );
}
