/**
 * Everything stored can be taken back for a while: a bar says what was done and offers to undo it. The newest offer
 * takes the place of the one before, since what was done last is what one wants back.
 */
import { Alert, type AlertColor, Button, Snackbar } from '@mui/material';
import { useSyncExternalStore } from 'react';
import { useRefresh } from 'react-admin';
import { messageOf } from './http.ts';

const LONG_ENOUGH_MS = 12_000;

interface Offer {
  readonly message: string;
  readonly severity: AlertColor;
  readonly undo?: () => Promise<void>;
}

let current: Offer | undefined;
const listeners = new Set<() => void>();

function show(next: Offer | undefined): void {
  current = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function offerUndo(message: string, undo: () => Promise<void>): void {
  show({ message, severity: 'success', undo });
}

/** Mounted once, around all pages: an offer outlives the page it was made on. */
export function UndoBar() {
  const offer = useSyncExternalStore(subscribe, () => current);
  const refresh = useRefresh();
  if (offer === undefined) return null;
  const run = async () => {
    show(undefined);
    try {
      await offer.undo?.();
      show({ message: 'Undone.', severity: 'success' });
    } catch (error) {
      show({ message: `It could not be undone: ${messageOf(error)}`, severity: 'error' });
    }
    refresh();
  };
  const close = (_event: unknown, reason: string) => {
    // A click elsewhere is the next piece of work, not a decision against undoing.
    if (reason !== 'clickaway' && offer === current) show(undefined);
  };
  const action = offer.undo && (
    <Button color="inherit" size="small" onClick={() => void run()}>
      Undo
    </Button>
  );
  return (
    <Snackbar key={offer.message} open autoHideDuration={LONG_ENOUGH_MS} onClose={close}>
      <Alert severity={offer.severity} variant="filled" role="status" action={action}>
        {offer.message}
      </Alert>
    </Snackbar>
  );
}
