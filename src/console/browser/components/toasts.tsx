/** Messages at the edge of the page, also for screen readers, with undo. */
import { useEffect, useState } from 'react';
import { type Collection, mayUndo, type Row } from '../api/catalogue.ts';
import { ofRequest, type Undone, undoChanges } from '../api/changes.ts';
import { explain } from '../api/explain.ts';
import { invalidate } from '../api/queries.ts';
import type { Pair } from '../api/query/list.ts';
import { queryClient } from '../api/query-client.ts';
import { type SaveOutcome, saveRow } from '../api/save-row.ts';
import { tabStorage } from '../base/storage.ts';
import { Store, useStore } from '../base/store.ts';
import { t } from '../i18n/text.ts';
import { Button, IconButton } from './button.tsx';
import { Menu } from './menu.tsx';
import { isDialogOpen, useShortcut } from './shortcut.ts';

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

/** A change of this tab, with the message that reported it. */
interface Undoable {
  readonly requestId: string;
  readonly text: string;
}

const UNDOABLE = 'catalogue.undo';
const MAX_UNDOABLE = 50;

/** The requests that Ctrl+Z undoes and Ctrl+Y repeats, the latest last. */
const undoable = new Store<readonly Undoable[]>((tabStorage.getJson(UNDOABLE) as Undoable[] | undefined) ?? []);
let redoable: readonly string[] = [];

const setUndoable = (next: readonly Undoable[]): void => {
  undoable.set(next.slice(-MAX_UNDOABLE));
  tabStorage.setJson(UNDOABLE, undoable.get());
};

/** Shows a message. With a request id, it offers undo, as does Ctrl+Z. */
export function notify(text: string, { requestId, isError = false, topic, progress }: Notice = {}): void {
  count += 1;
  if (requestId !== undefined) {
    setUndoable([...undoable.get(), { requestId, text }]);
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
  if (outcome.kind === 'stored' || outcome.kind === 'unchanged') notify(t.record.alreadyStored, options);
  if (outcome.kind === 'conflict') notify(t.record.changedByOther(outcome.person), { isError: true });
}

export function notifyError(error: unknown): undefined {
  notify(explain(error), { isError: true });
}

/** Saves values of a row, reports the result, and reloads what shows the row. A rejected value throws. */
export const saveAndReport = (collection: Collection, row: Row, values: Row, saved: string): Promise<void> =>
  saveRow(collection, row, values)
    .then((outcome) => notifySaved(collection, outcome, saved))
    .finally(() => invalidate(collection));

const dismiss = (id: number): void => removeToasts((each) => each.id === id);

/** Undoes a request, reports the result, and reloads all lists. */
export async function undo(requestId: string): Promise<void> {
  const inverse = await revertRequest(requestId, t.app.undone);
  if (inverse !== undefined) redoable = [...redoable, inverse];
}

async function redo(requestId: string): Promise<void> {
  redoable = redoable.filter((each) => each !== requestId);
  const inverse = await revertRequest(requestId, t.app.redone);
  if (inverse !== undefined) setUndoable([...undoable.get(), { requestId: inverse, text: t.app.redone }]);
}

/** Resolves to the request that reverted the changes; undefined if it changed nothing. */
async function revertRequest(id: string, done: string): Promise<string | undefined> {
  setUndoable(undoable.get().filter((each) => each.requestId !== id));
  removeToasts((each) => each.requestId === id);
  const reverted = await revert(ofRequest(id), ({ undone, skipped: { length } }) => {
    if (undone === 0 && length === 0) return t.app.nothingToUndo;
    return length === 0 ? done : t.app.undonePartly(length);
  });
  return reverted !== undefined && reverted.undone > 0 ? reverted.requestId : undefined;
}

/** Undoes changes, shows the progress of many, reports the result, and reloads all lists. */
export async function revert(
  filters: readonly Pair[],
  wordsOf: (result: Undone) => string,
  canUndo = false,
): Promise<Undone | undefined> {
  const onProgress = (...progress: Progress) => {
    if (progress[1] > LONG_UNDO) notify(t.app.undoing(...progress), { topic: 'undo', progress });
  };
  const result = await undoChanges(filters, onProgress).catch(notifyError);
  if (result !== undefined) notify(wordsOf(result), { topic: 'undo', ...(canUndo && { requestId: result.requestId }) });
  void queryClient.invalidateQueries();
  return result;
}

export function Toasts() {
  useShortcut('zy', onUndoKey);
  return (
    <div className="toasts line" role="status" aria-live="polite">
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
      {requestId !== undefined && (
        <Button className="small" onClick={() => void undo(requestId)}>
          {t.app.undo}
        </Button>
      )}
      <IconButton icon="x" className="small" label={t.app.dismiss} onClick={() => dismiss(id)} />
    </div>
  );
}

/** The changes of this tab, the latest first. Each can be undone on its own. */
export function UndoMenu() {
  const items = useStore(undoable).map(({ requestId, text }) => ({
    label: text,
    onChoose: () => void undo(requestId),
  }));
  if (items.length === 0) return null;
  return (
    <Menu label={t.app.undoHistory} icon="undo-2" groups={[{ label: t.app.undoHistory, items: items.reverse() }]} />
  );
}

/** Ctrl+Z outside of inputs undoes the last change of this tab; Ctrl+Y and Ctrl+Shift+Z repeat it. */
function onUndoKey(event: KeyboardEvent): void {
  const isTyping = (event.target as Element | null)?.closest?.('input:not([type=checkbox]), textarea, select') != null;
  const isRedo = event.key.toLowerCase() === 'y' || event.shiftKey;
  const last = isRedo ? redoable.at(-1) : undoable.get().at(-1)?.requestId;
  if (last === undefined || isTyping || isDialogOpen()) return;
  event.preventDefault();
  void (isRedo ? redo(last) : undo(last));
}
