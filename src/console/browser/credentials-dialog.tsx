/** Asks for the password, or for a token, when the session or the token has ended. The page behind it stays. */
import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  TextField,
} from '@mui/material';
import { type FormEvent, useEffect, useState } from 'react';
import { onCredentialsEnd } from './shared/api/credentials.ts';
import { isLoggedIn, logIn, requestLogin, session } from './shared/api/session.ts';
import { token } from './shared/api/token.ts';

export function CredentialsDialog() {
  const [open, setOpen] = useState<{ reason: string; finish: (isRenewed: boolean) => void }>();
  useEffect(() => onCredentialsEnd((reason, finish) => setOpen({ reason, finish })), []);
  if (open === undefined) return null;
  const close = (isRenewed: boolean) => {
    setOpen(undefined);
    open.finish(isRenewed);
  };
  return <CredentialsForm reason={open.reason} close={close} />;
}

interface CredentialsFormProps {
  readonly reason: string;
  readonly close: (isRenewed: boolean) => void;
}

function CredentialsForm({ reason, close }: CredentialsFormProps) {
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState(reason);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const wrong = await renew(secret).catch(() => 'The service cannot be reached.');
    if (wrong === undefined) return close(true);
    setBusy(false);
    setProblem(wrong);
  };
  return (
    <Dialog open fullWidth maxWidth="xs" aria-labelledby="credentials-title">
      <form onSubmit={(event) => void submit(event)}>
        <DialogTitle id="credentials-title">Log in again</DialogTitle>
        <DialogContent>
          <Alert severity="warning">{problem}</Alert>
          <DialogContentText sx={{ mt: 2 }}>
            {isLoggedIn ? `Enter the password of ${session?.name}.` : 'Paste a new token.'} The page keeps what you
            typed.
          </DialogContentText>
          <TextField
            label={isLoggedIn ? 'Password' : 'Token'}
            type="password"
            autoComplete={isLoggedIn ? 'current-password' : 'off'}
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
            fullWidth
            required
            autoFocus
          />
        </DialogContent>
        <DialogActions sx={{ flexWrap: 'wrap' }}>
          {isLoggedIn && <Button onClick={() => requestLogin(reason)}>Log in as someone else</Button>}
          <Button onClick={() => close(false)}>Cancel</Button>
          <Button type="submit" variant="contained" disabled={isBusy}>
            Log in
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

async function renew(secret: string): Promise<string | undefined> {
  if (isLoggedIn) return logIn(session?.name ?? '', secret);
  token.set(secret.trim());
  return undefined;
}
