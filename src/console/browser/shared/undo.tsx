/**
 * Everything stored can be taken back: a bar says what was done and offers to undo it, by a button or by Ctrl+Z. The newest
 * offer takes the place of the one before, since what was done last is what one wants back. The bar goes after a while;
 * Ctrl+Z works until something else is done.
 */
import { Alert, type AlertColor, Button, Snackbar } from '@mui/material';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useRefresh } from 'react-admin';
import { wordsOf } from './words.ts';

const LONG_ENOUGH_MS = 12_000;
const DONE = 'Undone.';

/** Yields a sentence where there is more to say than "Undone.": what was left. */
export type Undo = () => Promise<unknown>;

interface Message {
  readonly text: string;
  readonly severity: AlertColor;
  readonly isOffer?: boolean;
}

let message: Message | undefined;
let lastUndo: Undo | undefined;
const listeners = new Set<() => void>();

function show(next: Message | undefined): void {
  message = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function offerUndo(text: string, undo: Undo): void {
  lastUndo = undo;
  show({ text, severity: 'success', isOffer: true });
}

/** What was done, where there is nothing to take back; what was done before can be no more. */
export function tell(text: string, severity: AlertColor = 'info'): void {
  lastUndo = undefined;
  show({ text, severity });
}

async function undoLast(): Promise<void> {
  const undo = lastUndo;
  if (undo === undefined) return;
  lastUndo = undefined;
  show({ text: 'Undoing…', severity: 'info' });
  try {
    const said = await undo();
    const text = typeof said === 'string' ? said : DONE;
    show({ text, severity: text === DONE ? 'success' : 'warning' });
  } catch (error) {
    // What could not be undone now, since the service was not reached, can be a little later.
    lastUndo = undo;
    show({ text: `It could not be undone. ${wordsOf(error)}`, severity: 'error', isOffer: true });
  }
}

/** Mounted once, around all pages: an offer outlives the page it was made on. */
export function UndoBar() {
  const shown = useSyncExternalStore(subscribe, () => message);
  const refresh = useRefresh();
  const run = useRef<() => Promise<void>>(undoLast);
  run.current = async () => {
    await undoLast();
    refresh();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';
      // In an input it takes back what was typed there; over a dialog nothing is done behind it.
      if (!isUndo || lastUndo === undefined || isTypedIn(event.target) || isDialogOpen()) return;
      event.preventDefault();
      void run.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  if (shown === undefined) return null;
  const close = (_event: unknown, reason: string) => {
    // A click elsewhere is the next piece of work, not a decision against undoing.
    if (reason !== 'clickaway' && shown === message) show(undefined);
  };
  const action = shown.isOffer && (
    <Button
      color="inherit"
      size="small"
      title="Ctrl+Z"
      aria-keyshortcuts="Control+Z"
      onClick={() => void run.current()}
    >
      Undo
    </Button>
  );
  return (
    <Snackbar key={shown.text} open autoHideDuration={LONG_ENOUGH_MS} onClose={close} sx={{ maxWidth: 640 }}>
      <Alert severity={shown.severity} variant="filled" role="status" action={action} sx={{ overflowWrap: 'anywhere' }}>
        {shown.text}
      </Alert>
    </Snackbar>
  );
}

function isTypedIn(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isInput = target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type);
  return isInput || target instanceof HTMLTextAreaElement || target.isContentEditable;
}

const isDialogOpen = () => document.querySelector('[role=dialog]') !== null;
