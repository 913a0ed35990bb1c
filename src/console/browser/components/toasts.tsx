/** Messages at the edge of the page, also for screen readers, with undo. */
import { useEffect, useState } from 'react';
import { type Collection, mayUndo } from '../api/catalogue.ts';
import { undoRequest } from '../api/changes.ts';
import { explain } from '../api/explain.ts';
import { queryClient } from '../api/query-client.ts';
import type { SaveOutcome } from '../api/save-row.ts';
import { Store, useStore } from '../base/store.ts';
import { t } from '../i18n/text.ts';
import { Button, IconButton } from './button.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  /** The request that the person may undo. */
  readonly requestId?: string | undefined;
  readonly topic?: string | undefined;
  readonly progress?: Progress | undefined;
}

type Progress = readonly [done: number, total: number];

const SHOWN_MS = 10_000;
/** An undo of more changes shows its progress. */
const LONG_UNDO = 1_000;

const toasts = new Store<readonly Toast[]>([]);
let count = 0;

const removeToasts = (isRemoved: (toast: Toast) => boolean): void =>
  toasts.set(toasts.get().filter((each) => !isRemoved(each)));

interface Notice {
  readonly requestId?: string | undefined;
  readonly isError?: boolean;
  /** A message replaces an earlier one of the same topic. */
  readonly topic?: string;
  readonly progress?: Progress;
}

/** The requests that Ctrl+Z undoes and Ctrl+Y repeats, the latest last. */
let undoable: readonly string[] = [];
let redoable: readonly string[] = [];

/** Shows a message. With a request id, it offers undo, as does Ctrl+Z. */
export function notify(text: string, { requestId, isError = false, topic, progress }: Notice = {}): void {
  count += 1;
  if (requestId !== undefined) {
    undoable = [...undoable, requestId];
    redoable = [];
  }
  removeToasts((each) => topic !== undefined && each.topic === topic);
  toasts.set([...toasts.get().slice(-2), { id: count, text, isError, requestId, topic, progress }]);
}

/** Offers the undo of a write in its message, if the person may undo it. */
export function undoOf(right: 'create' | 'update' | 'delete', collection: Collection, requestId: string): Notice {
  return mayUndo(right, collection) ? { requestId } : {};
}

/** Reports how a save of a row ended. */
export function notifySaved(collection: Collection, outcome: SaveOutcome, saved: string, options: Notice = {}): void {
  if (outcome.kind === 'saved') notify(saved, { ...undoOf('update', collection, outcome.requestId), ...options });
  if (outcome.kind === 'stored') notify(t.record.alreadyStored, options);
  if (outcome.kind === 'theirs') notify(t.record.keptTheirs, options);
}

export function notifyError(error: unknown): void {
  notify(explain(error), { isError: true });
}

const dismiss = (id: number): void => removeToasts((each) => each.id === id);

/** Undoes a request, reports the result, and reloads all lists. */
export async function undo(requestId: string): Promise<void> {
  const inverse = await revert(requestId, t.app.undone);
  if (inverse !== undefined) redoable = [...redoable, inverse];
}

async function redo(requestId: string): Promise<void> {
  redoable = redoable.filter((each) => each !== requestId);
  const inverse = await revert(requestId, t.app.redone);
  if (inverse !== undefined) undoable = [...undoable, inverse];
}

/** Resolves to the request that reverted the changes; undefined if it changed nothing. */
async function revert(requestId: string, done: string): Promise<string | undefined> {
  undoable = undoable.filter((each) => each !== requestId);
  removeToasts((each) => each.requestId === requestId);
  let inverse: string | undefined;
  try {
    const {
      undone,
      skipped,
      requestId: reverting,
    } = await undoRequest(requestId, (...progress) => {
      if (progress[1] > LONG_UNDO) notify(t.app.undoing(...progress), { topic: 'undo', progress });
    });
    if (undone > 0) inverse = reverting;
    if (undone === 0 && skipped.length === 0) notify(t.app.nothingToUndo, { topic: 'undo' });
    else notify(skipped.length === 0 ? done : t.app.undonePartly(skipped.length), { topic: 'undo' });
  } catch (error) {
    notifyError(error);
  }
  void queryClient.invalidateQueries();
  return inverse;
}

export function Toasts() {
  useUndoKey();
  return (
    <div className="toasts stack" role="status" aria-live="polite">
      {useStore(toasts).map((toast) => (
        <ToastMessage key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastMessage({ toast: { id, text, isError, requestId, progress } }: { readonly toast: Toast }) {
  /** Whether the pointer or the focus is on the message. */
  const [isUsed, setUsed] = useState(false);
  useEffect(() => {
    if (isError || isUsed) return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isError, isUsed]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only waits while someone uses the buttons within it
    <div
      className={`toast line${isError ? ' error' : ''}`}
      onPointerEnter={() => setUsed(true)}
      onPointerLeave={() => setUsed(false)}
      onFocus={() => setUsed(true)}
      onBlur={() => setUsed(false)}
    >
      <span>{text}</span>
      {progress !== undefined && <progress value={progress[0]} max={progress[1]} aria-label={text} />}
      {requestId !== undefined && <Button onClick={() => void undo(requestId)}>{t.app.undo}</Button>}
      <IconButton icon="x" label={t.app.dismiss} onClick={() => dismiss(id)} />
    </div>
  );
}

/** Ctrl+Z outside of inputs undoes the last change of this page; Ctrl+Y and Ctrl+Shift+Z repeat it. */
function useUndoKey(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping =
        (event.target as Element | null)?.closest?.('input:not([type=checkbox]), textarea, select') != null;
      const key = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || isTyping || (key !== 'z' && key !== 'y')) return;
      const isRedo = key === 'y' || event.shiftKey;
      const last = (isRedo ? redoable : undoable).at(-1);
      if (last === undefined) return;
      event.preventDefault();
      void (isRedo ? redo(last) : undo(last));
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
