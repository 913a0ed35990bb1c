/** Asks before a row is deleted, and lists what refers to it. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { type Collection, mayUndo, type Row, referrersOf, titleOf, titleOfCollection } from '../api/catalogue.ts';
import { ask, countIn } from '../api/client.ts';
import { invalidate, useWrite } from '../api/queries.ts';
import { encodeValue } from '../api/query/filter-text.ts';
import { deleteRows } from '../api/rows.ts';
import { notify, notifyError, undoOf } from '../app/toasts.tsx';
import { Dialog } from '../components/dialog.tsx';
import { formatNumber } from '../fields/numbers.ts';
import { t } from '../i18n/text.ts';

interface DeleteDialogProps {
  readonly collection: Collection;
  readonly row: Row;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

export default function DeleteDialog({ collection, row, onDeleted, onClose }: DeleteDialogProps) {
  const [, navigate] = useLocation();
  const remove = useWrite(collection, () => deleteRows(collection, [row]));
  const canUndo = mayUndo('delete', collection);
  const onSubmit = async () => {
    try {
      const written = await remove.run(undefined);
      if (written === undefined) return;
      onDeleted();
      notify(t.record.deleted, undoOf('delete', collection, written.requestId));
      for (const { from } of referrersOf(collection)) void invalidate(from);
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
      submit={{ label: t.app.remove, isDanger: true, onSubmit }}
    >
      <p>{canUndo ? t.record.deleteText : t.record.deleteForever}</p>
      <Referrers collection={collection} row={row} />
    </Dialog>
  );
}

/** The number of rows that refer to this one, and what happens to them. */
function Referrers({ collection, row }: { readonly collection: Collection; readonly row: Row }) {
  const value = row[collection.key[0]!.name];
  const { data = [] } = useQuery({
    queryKey: ['row', collection.name, String(value), 'referrers'],
    queryFn: ({ signal }) =>
      Promise.all(
        referrersOf(collection).map(async (reference) => {
          const filter = `${reference.field.name}=eq.${encodeValue(String(value))}`;
          const url = `/${reference.from.name}?${filter}&select=${reference.from.key[0]!.name}&limit=1`;
          const { headers } = await ask(url, { headers: { prefer: 'count=exact' }, signal });
          return { reference, count: countIn(headers) };
        }),
      ),
  });
  const used = data.filter(({ count }) => count > 0);
  if (used.length === 0) return null;
  return (
    <ul className="bullets">
      {used.map(({ reference: { name, from, onDelete }, count }) => (
        <li key={name}>{t.record.referrers[onDelete](titleOfCollection(from), formatNumber(count))}</li>
      ))}
    </ul>
  );
}
