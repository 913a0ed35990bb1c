/**
 * The bars over the page. One asks for the password, or for a token, when the session or the token has ended; the other
 * says that the service cannot be reached. They never take the focus: what the person types stays where it is, and is
 * sent after the login, or when the service answers again.
 */

import { type FormEvent, useState } from 'react';
import { credentialsEnd } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { giveUp, isLost, sendAgain } from '../api/session/connection.ts';
import { isLoggedIn, logIn, requestLogin, session, token } from '../api/session/session.ts';
import { useStore } from '../base/store.ts';
import { t } from '../i18n/text.ts';
import { Button } from './button.tsx';
import { useFocusReturn } from './focus.ts';
import { TextField } from './inputs.tsx';

export function PageBars() {
  const end = useStore(credentialsEnd);
  return (
    <>
      {useStore(isLost) && <ConnectionBar />}
      {end && <CredentialsForm {...end} />}
    </>
  );
}

interface CredentialsFormProps {
  readonly reason: string;
  readonly close: (isRenewed: boolean) => void;
}

function CredentialsForm({ reason, close }: CredentialsFormProps) {
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState<string>();
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      if (isLoggedIn) await logIn(session?.name ?? '', secret);
      else token.set(secret.trim());
      close(true);
    } catch (error) {
      setProblem(explain(error));
    }
  };
  return (
    <form
      className="page-bar notice danger line wrap"
      aria-label={t.app.logInAgain}
      onSubmit={(e) => void onSubmit(e)}
      {...useFocusReturn()}
    >
      <p role="alert">
        {isLoggedIn ? t.app.sessionEnded : reason.replace(/\.?$/, '.')}{' '}
        {isLoggedIn ? t.app.passwordOf(session?.name ?? '') : t.app.newToken}
      </p>
      <TextField
        type="password"
        required
        label={isLoggedIn ? t.app.password : t.app.token}
        autoComplete={isLoggedIn ? 'current-password' : 'off'}
        problem={problem}
        value={secret}
        onChange={setSecret}
      />
      <Button type="submit" kind="primary">
        {t.app.logIn}
      </Button>
      <Button onClick={() => close(false)}>{t.app.cancel}</Button>
      {isLoggedIn && <Button onClick={() => requestLogin(t.app.sessionEnded)}>{t.app.logInAsOther}</Button>}
    </form>
  );
}

function ConnectionBar() {
  return (
    <div className="page-bar notice danger line wrap" role="alert" {...useFocusReturn()}>
      <span>{t.app.connectionLost}</span>
      <Button onClick={sendAgain}>{t.app.retry}</Button>
      <Button onClick={giveUp}>{t.app.giveUp}</Button>
    </div>
  );
}
