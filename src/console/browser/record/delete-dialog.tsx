/** Asks before rows are deleted: what refers to them, and what others changed since the person saw them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteAll, rowsChangedSince, type Target } from '../api/bulk-change.ts';
import { type Collection, mayUndo, type Row, referrersOf, titleOf, titleOfCollection } from '../api/catalogue.ts';
import { ask, countIn } from '../api/client.ts';
import { invalidate, useWrite } from '../api/queries.ts';
import { parameter, pathOf } from '../api/query/filter-text.ts';
import { keysFilter } from '../api/query/keys.ts';
import { Dialog } from '../components/dialog.tsx';
import { Problem } from '../components/small.tsx';
import { notify, undoOf } from '../components/toasts.tsx';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';

/** More changed rows are not named, and the referrers of more rows are not counted. */
const MOST_NAMED = 20;
const MOST_COUNTED = 200;

interface DeleteDialogProps {
  readonly target: Target;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

export default function DeleteDialog({ target, onDeleted, onClose }: DeleteDialogProps) {
  const { rows = [], count } = target;
  const { collection } = target.query;
  const [warning, setWarning] = useState('');
  const remove = useWrite(collection, () => deleteAll(target));
  const [only] = count === 1 ? rows : [];
  const onSubmit = async () => {
    const changed = warning === '' ? await rowsChangedSince(target) : [];
    if (changed.length > 0) {
      const titles = changed.slice(0, MOST_NAMED).map((row) => titleOf(collection, row));
      return setWarning(t.grid.changedSince(titles.join(', ')));
    }
    const deleted = await remove.run(undefined);
    if (deleted === undefined) return;
    for (const { from } of referrersOf(collection)) void invalidate(from);
    const message = only === undefined ? t.grid.rowsDeleted(deleted.count) : t.record.deleted;
    notify(message, undoOf('delete', collection, deleted.requestId));
    onDeleted();
    onClose();
  };
  return (
    <Dialog
      title={only === undefined ? t.grid.deleteRows(count) : t.record.deleteTitle(titleOf(collection, only))}
      onClose={onClose}
      submit={{ label: t.app.remove, isDanger: true, onSubmit }}
    >
      <p>{mayUndo('delete', collection) ? t.app.canUndo : t.record.deleteForever}</p>
      {rows.length > 0 && rows.length <= MOST_COUNTED && <Referrers collection={collection} rows={rows} />}
      {warning !== '' && <Problem>{warning}</Problem>}
    </Dialog>
  );
}

/** The number of rows that refer to these ones, and what happens to them. */
function Referrers({ collection, rows }: { readonly collection: Collection; readonly rows: readonly Row[] }) {
  const values = rows.map((row) => row[collection.key[0]!.name] ?? null);
  const { data = [] } = useQuery({
    queryKey: ['row', collection.name, 'referrers', values],
    queryFn: ({ signal }) =>
      Promise.all(
        referrersOf(collection).map(async (reference) => {
          const { from, field } = reference;
          const keys = values.map((value) => ({ [field.name]: value }));
          const url = `${pathOf(from)}?${keysFilter({ key: [field] }, keys)}&select=${parameter(from.key[0]!.name)}&limit=1`;
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
