/** Messages at the edge of the page, also for screen readers, with undo. */
import { X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { explain } from '../api/explain.ts';
import { queryClient } from '../api/queries.ts';
import { undoRequest } from '../api/rows.ts';
import { Button, IconButton } from '../components/button.tsx';
import { t } from '../i18n/text.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  /** The request that the person may undo. */
  readonly requestId?: string | undefined;
}

const SHOWN_MS = 10_000;

let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

interface Notice {
  readonly requestId?: string | undefined;
  readonly isError?: boolean;
}

/** Shows a message. With a request id, it offers undo, and Ctrl+Z does the same until the next message. */
export function notify(text: string, { requestId, isError = false }: Notice = {}): void {
  count += 1;
  set([...toasts.slice(-2), { id: count, text, isError, requestId }]);
}

export function notifyError(error: unknown): void {
  notify(explain(error), { isError: true });
}

function dismiss(id: number): void {
  set(toasts.filter((each) => each.id !== id));
}

/** Undoes a request, reports the result, and reloads all lists. */
export async function undo(requestId: string): Promise<void> {
  set(toasts.filter((each) => each.requestId !== requestId));
  try {
    const { undone, skipped } = await undoRequest(requestId);
    if (undone === 0 && skipped.length === 0) notify(t.app.nothingToUndo);
    else notify(skipped.length === 0 ? t.app.undone : t.app.undonePartly(skipped.length));
  } catch (error) {
    notifyError(error);
  }
  await queryClient.invalidateQueries();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  useUndoKey();
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <ToastMessage key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastMessage({ toast: { id, text, isError, requestId } }: { readonly toast: Toast }) {
  useEffect(() => {
    if (isError) return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isError]);
  return (
    <div className={`toast${isError ? ' error' : ''}`}>
      <span>{text}</span>
      {requestId !== undefined && <Button onClick={() => void undo(requestId)}>{t.app.undo}</Button>}
      <IconButton label={t.app.dismiss} onClick={() => dismiss(id)}>
        <X size={16} />
      </IconButton>
    </div>
  );
}

/** Ctrl+Z outside of inputs undoes the last message's request. */
function useUndoKey(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element | null)?.closest?.('input, textarea, select, [role=grid]') != null;
      const last = toasts.at(-1)?.requestId;
      if (event.key !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || isTyping || !last) return;
      event.preventDefault();
      void undo(last);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
