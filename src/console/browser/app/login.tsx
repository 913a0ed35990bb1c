/** The page that asks for a name and password, or for a token if the service has no login. */
import { type FormEvent, useEffect, useState } from 'react';
import { explain } from '../api/explain.ts';
import { continueWithoutLogin, hasSession, logIn, loginReason, session, token } from '../api/session/session.ts';
import { Button } from '../components/button.tsx';
import { TextField, useForm } from '../components/inputs.tsx';
import { Problem } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { Logo } from './logo.tsx';

const hasLogin = session !== undefined;

export default function LoginPage() {
  const { values, input } = useForm({ name: '', secret: '' });
  const [problem, setProblem] = useState(hasLogin ? loginReason : '');
  const [isBusy, setBusy] = useState(false);
  // The service deletes the cookie of an ended session, so that the next page may be that of a visitor.
  useEffect(() => void (session?.role === null && hasSession()), []);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (!hasLogin) {
      token.set(values.secret.trim());
      return location.reload();
    }
    if (isBusy) return;
    setBusy(true);
    await logIn(values.name, values.secret).then(continueWithoutLogin, (error) => setProblem(explain(error)));
    setBusy(false);
  };
  return (
    <main className="login">
      <form className="stack" onSubmit={(event) => void onSubmit(event)}>
        <Logo size={40} />
        <h1>{t.app.name}</h1>
        <p>{hasLogin ? t.app.logInText : t.app.tokenText}</p>
        {problem !== '' && <Problem>{problem}</Problem>}
        {hasLogin && <TextField {...input('name')} autoFocus required label={t.app.userName} autoComplete="username" />}
        <TextField
          {...input('secret')}
          type="password"
          autoFocus={!hasLogin}
          required
          label={hasLogin ? t.app.password : t.app.token}
          autoComplete={hasLogin ? 'current-password' : 'off'}
        />
        <Button type="submit" kind="primary" aria-disabled={isBusy}>
          {t.app.logIn}
        </Button>
        {session?.role != null && <Button onClick={continueWithoutLogin}>{t.app.continueWithout}</Button>}
      </form>
    </main>
  );
}
