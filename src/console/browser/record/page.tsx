/** The page of a stored row: its form, the rows that refer to it, and its history. */
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { goTo, useAddress } from '../api/address.ts';
import { type Collection, commentsOf, may, type Row, relatedTo, titleOf, titleOfCollection } from '../api/catalogue.ts';
import { useEditing, useEditors } from '../api/presence.ts';
import { useRow } from '../api/queries.ts';
import { lastList, listOf } from '../api/query/list.ts';
import { keyText, rowAddress } from '../api/query/text.ts';
import { hidesLog } from '../api/session/page-data.ts';
import { Button, IconButton } from '../components/button.tsx';
import { showDialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { dialogOnDemand, partOnDemand } from '../components/on-demand.tsx';
import { ErrorMessage, NotFound, PageTitle, Skeleton } from '../components/small.tsx';
import { notify } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import { duplicateRow } from './duplicate.ts';
import { fieldId, focusProblem, RecordForm, useSaveKey } from './form.tsx';
import { isMissing, MissingRow } from './missing-row.tsx';
import type { PendingSaves } from './related-row.tsx';
import { useLiveRow } from './use-live-row.ts';
import { type RowForm, useRowForm } from './use-save.ts';

const RelatedRows = partOnDemand(() => import('./related-rows.tsx'));
const Comments = partOnDemand(() => import('./comments.tsx'));
const DeleteDialog = dialogOnDemand(() => import('./delete-dialog.tsx'));
const RowHistory = partOnDemand(() => import('../history/row-history.tsx'));

export default function RecordPage() {
  const { collection, key } = useAddress();
  if (collection === undefined || key === undefined) return <NotFound />;
  return <StoredRow key={`${collection.name} ${key}`} collection={collection} rowKey={key} />;
}

interface StoredRowProps {
  readonly collection: Collection;
  readonly rowKey: string;
  /** Whether it is shown beside a list, with little room. */
  readonly isPanel?: boolean;
}

export function StoredRow({ collection, rowKey, isPanel = false }: StoredRowProps) {
  const { data, error, refetch } = useRow(collection, rowKey);
  const isGone = isMissing(error);
  if (data !== undefined) return <EditRow collection={collection} row={data} isGone={isGone} isPanel={isPanel} />;
  if (isGone) return <MissingRow collection={collection} rowKey={rowKey} wasShown={false} />;
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  return <Skeleton />;
}

interface EditRowProps {
  readonly collection: Collection;
  readonly row: Row;
  readonly isGone: boolean;
  readonly isPanel: boolean;
}

/** Wide screens show the history at once. */
const hasRoom = (): boolean => matchMedia('(min-width: 1180px)').matches;

/** Whether the person may change something on the page: the row, or rows that refer to it. */
function mayEdit(collection: Collection): boolean {
  const others = relatedTo(collection).map(({ from }) => from);
  return may('update', collection) || others.some((from) => may('update', from) || may('create', from));
}

function EditRow({ collection, row, isGone, isPanel }: EditRowProps) {
  const draft = useRowForm(collection, row);
  const marks = useLiveRow(collection, row, draft.isPending, isPanel);
  const [isDeleting, setDeleting] = useState(false);
  const [hasHistory, setHistory] = useState(() => !isPanel && !hidesLog && hasRoom());
  const [pending] = useState<PendingSaves>(() => new Map());
  const form = useRef<HTMLFormElement>(null);
  useSaveKey(form);
  const isEditable = mayEdit(collection);
  const comments = commentsOf(collection);
  const key = keyText(collection, row);
  useEditing(collection, draft.isChanged ? key : undefined);
  const editors = useEditors(collection).get(key);
  const saveAll = async () => {
    const saves = [...(draft.isChanged ? [draft.save] : []), ...pending.values()];
    if (saves.length === 0) notify(t.record.nothingToSave);
    for (const each of saves) if ((await each()) === undefined) return focusProblem(form.current);
  };
  const remove = async () => {
    const onDeleted = () => {
      draft.reset();
      if (form.current !== null) goTo(lastList(collection));
    };
    setDeleting(true);
    await showDialog(
      <DeleteDialog target={{ query: listOf(collection), rows: [row], count: 1 }} onDeleted={onDeleted} />,
    );
    setDeleting(false);
  };
  const restore = (name: string, text: string) => {
    draft.setText(name, text);
    document.getElementById(fieldId(name))?.focus();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void saveAll();
  };
  return (
    <div className={`record-page${hasHistory ? ' with-history' : ''}`}>
      <form ref={form} className="page" noValidate onSubmit={onSubmit}>
        <RecordHead collection={collection} title={titleOf(collection, row)}>
          {editors !== undefined && (
            <span className="marker editors" role="status">
              <Icon name="pencil" size={14} /> {t.record.editedBy(editors)}
            </span>
          )}
          <DraftState draft={draft} isPanel={isPanel} />
          {!hidesLog && (
            <IconButton
              icon="rotate-ccw-clock"
              label={t.history.title}
              aria-pressed={hasHistory}
              onClick={() => setHistory(!hasHistory)}
            />
          )}
          {may('create', collection) && (
            <IconButton
              icon="copy"
              label={t.record.duplicate}
              onClick={() => void duplicateRow(collection, row, (copy) => goTo(rowAddress(collection, copy)))}
            />
          )}
          {may('delete', collection) && <IconButton icon="trash" label={t.app.remove} onClick={() => void remove()} />}
          {isEditable && (
            <Button type="submit" kind="primary" title={t.record.saveKey} aria-disabled={draft.isPending}>
              {t.app.save}
            </Button>
          )}
        </RecordHead>
        {isGone && !isDeleting && <MissingRow collection={collection} rowKey={key} wasShown />}
        <RecordForm collection={collection} draft={draft} row={row} marks={marks} />
        <RelatedRows collection={collection} row={row} pending={pending} />
        {comments !== undefined && <Comments from={comments} collection={collection} row={row} />}
      </form>
      {hasHistory && <RowHistory collection={collection} row={row} onRestore={restore} />}
    </div>
  );
}

/** Says that there is unsaved input, and offers to discard it. */
export function DraftState({ draft, isPanel = false }: { readonly draft: RowForm; readonly isPanel?: boolean }) {
  if (!draft.isChanged) return null;
  return (
    <>
      {/* A panel has no place for it beside the buttons. */}
      <span className={isPanel && !draft.isRestored ? 'visually-hidden' : 'marker'} role="status">
        {draft.isRestored ? t.record.restoredInput : t.record.unsaved}
      </span>
      <Button kind="quiet" onClick={draft.reset}>
        {t.record.discard}
      </Button>
    </>
  );
}

interface RecordHeadProps {
  readonly collection: Collection;
  readonly title: string;
  readonly children: ReactNode;
}

export function RecordHead({ collection, title, children }: RecordHeadProps) {
  return (
    <header className="record-head line wrap">
      <IconButton icon="arrow-left" href={lastList(collection)} label={t.record.back} />
      <div className="record-title">
        <p className="help">{titleOfCollection(collection)}</p>
        <PageTitle title={title} />
      </div>
      {children}
    </header>
  );
}
