/** Asks before a row is deleted, and lists what refers to it. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { type Collection, mayUndo, type Row, referrersOf, titleOf, titleOfCollection } from '../api/catalogue.ts';
import { ask, countIn } from '../api/client.ts';
import { invalidate } from '../api/queries.ts';
import { encodeValue, parameter, pathOf } from '../api/query/filter-text.ts';
import { Dialog } from '../components/dialog.tsx';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { useDelete } from './use-save.ts';

interface DeleteDialogProps {
  readonly collection: Collection;
  readonly row: Row;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

export default function DeleteDialog({ collection, row, onDeleted, onClose }: DeleteDialogProps) {
  const [, navigate] = useLocation();
  const remove = useDelete(collection, row);
  const onSubmit = async () => {
    if (!(await remove())) return onClose();
    onDeleted();
    for (const { from } of referrersOf(collection)) void invalidate(from);
    navigate(`/c${pathOf(collection)}`);
  };
  return (
    <Dialog
      title={t.record.deleteTitle(titleOf(collection, row))}
      onClose={onClose}
      submit={{ label: t.app.remove, isDanger: true, onSubmit }}
    >
      <p>{mayUndo('delete', collection) ? t.app.canUndo : t.record.deleteForever}</p>
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
          const filter = `${parameter(reference.field.name)}=eq.${encodeValue(String(value))}`;
          const url = `${pathOf(reference.from)}?${filter}&select=${parameter(reference.from.key[0]!.name)}&limit=1`;
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
