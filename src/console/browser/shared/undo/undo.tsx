/**
 * Undo for every stored change. A bar reports the change and offers to undo it, by button or Ctrl+Z. A newer offer
 * replaces the previous one. The bar disappears after a while; Ctrl+Z works until the next change.
 */
import { Alert, type AlertColor, Button, Snackbar } from '@mui/material';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useRefresh } from 'react-admin';
import { describeError } from '../values/words.ts';

const MESSAGE_MS = 12_000;
const DONE = 'Undone.';

/** Undoes a change. Resolves to a message if something could not be undone. */
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

/** Shows a message without undo. It also ends the previous offer. */
export function showMessage(text: string, severity: AlertColor = 'info'): void {
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
    // The service was not reached, so the person can try again.
    lastUndo = undo;
    show({ text: `Could not undo. ${describeError(error)}`, severity: 'error', isOffer: true });
  }
}

/** Mounted once around all pages, so that an offer survives a change of page. */
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
      // In an input, Ctrl+Z belongs to the browser. Behind an open dialog nothing is undone.
      if (!isUndo || lastUndo === undefined || isTypedIn(event.target) || isDialogOpen()) return;
      event.preventDefault();
      void run.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  if (shown === undefined) return null;
  const close = (_event: unknown, reason: string) => {
    // A click elsewhere does not close the offer.
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
    <Snackbar key={shown.text} open autoHideDuration={MESSAGE_MS} onClose={close} sx={{ maxWidth: 640 }}>
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
