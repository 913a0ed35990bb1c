/** The page of a stored row. */
import { ArrowLeft, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type Collection, labelOf, may, type Row, titleOf, titleOfCollection } from '../api/catalogue.ts';
import { useRow, useWrite } from '../api/queries.ts';
import { deleteRows } from '../api/rows.ts';
import { type SaveOutcome, saveRow } from '../api/save-row.ts';
import { usePageAddress } from '../app/address.ts';
import { NotFound } from '../app/not-found.tsx';
import { notify, notifyError } from '../app/toasts.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { RecordForm } from './form.tsx';
import { useDraft } from './use-draft.ts';

export default function RecordPage() {
  const { collection, key } = usePageAddress();
  if (collection === undefined || key === undefined) return <NotFound />;
  return <StoredRow key={`${collection.name} ${key}`} collection={collection} rowKey={key} />;
}

export function StoredRow({ collection, rowKey }: { readonly collection: Collection; readonly rowKey: string }) {
  const { data, error, refetch } = useRow(collection, rowKey);
  if (data !== undefined) return <EditRow collection={collection} row={data} />;
  if (error !== null) return <ErrorMessage error={error} onRetry={() => void refetch()} />;
  return <Skeleton />;
}

function EditRow({ collection, row }: { readonly collection: Collection; readonly row: Row }) {
  const draft = useDraft(collection, row);
  const [isDeleting, setDeleting] = useState(false);
  const save = useWrite(collection, (values: Row) => saveRow(collection, row, values));
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const values = draft.read();
    if (values === undefined) return;
    try {
      const outcome = await save.run(values);
      if (outcome === undefined || outcome.kind === 'editing') return;
      draft.reset();
      report(collection, outcome);
    } catch (failure) {
      if (!draft.showErrors(failure)) notifyError(failure);
    }
  };
  return (
    <form className="page record-page" noValidate onSubmit={(event) => void onSubmit(event)}>
      <RecordHead collection={collection} title={titleOf(collection, row)}>
        {may('delete', collection) && (
          <Button icon={<Trash2 size={16} />} onClick={() => setDeleting(true)}>
            {t.app.remove}
          </Button>
        )}
        {may('update', collection) && (
          <Button type="submit" kind="primary" aria-disabled={save.isPending}>
            {t.app.save}
          </Button>
        )}
      </RecordHead>
      <RecordForm collection={collection} draft={draft} isNew={false} />
      {isDeleting && <DeleteDialog collection={collection} row={row} onClose={() => setDeleting(false)} />}
    </form>
  );
}

function report(collection: Collection, outcome: SaveOutcome): void {
  if (outcome.kind === 'saved') {
    const names = outcome.merged.map((name) => labelOf(collection.byName.get(name)!)).join(', ');
    notify(names === '' ? t.record.saved : t.record.merged(names), { requestId: outcome.requestId });
  }
  if (outcome.kind === 'stored' || outcome.kind === 'unchanged') notify(t.record.alreadyStored);
  if (outcome.kind === 'theirs') notify(t.record.keptTheirs);
}

interface RecordHeadProps {
  readonly collection: Collection;
  readonly title: string;
  readonly children: React.ReactNode;
}

export function RecordHead({ collection, title, children }: RecordHeadProps) {
  return (
    <header className="record-head">
      <Link href={`/c/${collection.name}`} className="icon-button" aria-label={t.record.back} title={t.record.back}>
        <ArrowLeft size={18} />
      </Link>
      <div>
        <p className="crumb">{titleOfCollection(collection)}</p>
        <h1>{title}</h1>
      </div>
      <span className="space" />
      {children}
    </header>
  );
}

interface DeleteDialogProps {
  readonly collection: Collection;
  readonly row: Row;
  readonly onClose: () => void;
}

function DeleteDialog({ collection, row, onClose }: DeleteDialogProps) {
  const [, navigate] = useLocation();
  const remove = useWrite(collection, () => deleteRows(collection, [row]));
  const onSubmit = async () => {
    try {
      const written = await remove.run(undefined);
      if (written === undefined) return;
      notify(t.record.deleted, written);
      navigate(`/c/${collection.name}`);
    } catch (failure) {
      onClose();
      notifyError(failure);
    }
  };
  return (
    <Dialog
      title={t.record.deleteTitle(titleOf(collection, row))}
      onClose={onClose}
      submit={{ label: t.app.remove, isDanger: true, isBusy: remove.isPending, onSubmit: () => void onSubmit() }}
    >
      <p>{t.record.deleteText}</p>
    </Dialog>
  );
}
