/** Everything stored can be taken back for a while: a message says what was done and offers to undo it. */
import { Alert, Button } from '@mui/material';
import { useCloseNotification, useNotify, useRefresh } from 'react-admin';
import { messageOf } from './http.ts';

const LONG_ENOUGH_MS = 12_000;

type OfferUndo = (message: string, undo: () => Promise<void>) => void;

export function useOfferUndo(): OfferUndo {
  const notify = useNotify();
  const refresh = useRefresh();
  return (message, undo) => {
    const run = async () => {
      try {
        await undo();
        notify('Undone.', { type: 'success' });
      } catch (error) {
        notify(`It could not be undone: ${messageOf(error)}`, { type: 'error' });
      }
      refresh();
    };
    notify(<UndoMessage message={message} undo={run} />, { type: 'success', autoHideDuration: LONG_ENOUGH_MS });
  };
}

function UndoMessage({ message, undo }: { readonly message: string; readonly undo: () => Promise<void> }) {
  const close = useCloseNotification();
  return (
    <Alert
      severity="success"
      variant="filled"
      role="status"
      action={
        <Button
          color="inherit"
          size="small"
          onClick={() => {
            close();
            void undo();
          }}
        >
          Undo
        </Button>
      }
    >
      {message}
    </Alert>
  );
}
