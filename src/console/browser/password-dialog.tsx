/** The dialog to change one's password. It ends all other sessions of the person. */
import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle, TextField } from '@mui/material';
import { type FormEvent, useState } from 'react';
import { useNotify } from 'react-admin';
import { changePassword } from './shared/api/session.ts';

export function PasswordDialog({ close }: { readonly close: () => void }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const notify = useNotify();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const wrong = await changePassword(current, next).catch(() => 'The service cannot be reached.');
    if (wrong !== undefined) {
      setBusy(false);
      return setProblem(wrong);
    }
    notify('The password was changed.', { type: 'success' });
    close();
  };
  return (
    <Dialog open onClose={close} fullWidth maxWidth="xs" aria-labelledby="password-title">
      <form onSubmit={(event) => void submit(event)}>
        <DialogTitle id="password-title">Change your password</DialogTitle>
        <DialogContent>
          {problem !== '' && <Alert severity="error">{problem}</Alert>}
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
            required
            autoFocus
          />
          <TextField
            label="New password"
            type="password"
            autoComplete="new-password"
            value={next}
            onChange={(event) => setNext(event.target.value)}
            required
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="contained" disabled={isBusy}>
            Change
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
