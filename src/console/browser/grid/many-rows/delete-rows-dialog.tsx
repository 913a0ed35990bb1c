/** Deletes the checked rows, after a look at what others changed since the person saw them. */
import { useState } from 'react';
import { deleteAll, rowsChangedSince, type Target } from '../../api/bulk-change.ts';
import { mayUndo, titleOf } from '../../api/catalogue.ts';
import { useWrite } from '../../api/queries.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/small.tsx';
import { notify, undoOf } from '../../components/toasts.tsx';
import { t } from '../../i18n/text.ts';

const NAMED = 20;

interface DeleteRowsDialogProps {
  readonly target: Target;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export default function DeleteRowsDialog({ target, onClose, onDeleted }: DeleteRowsDialogProps) {
  const { collection } = target.query;
  const [warning, setWarning] = useState('');
  const remove = useWrite(collection, () => deleteAll(target));
  const onSubmit = async () => {
    const changed = warning === '' ? await rowsChangedSince(target) : [];
    if (changed.length > 0) {
      const titles = changed.slice(0, NAMED).map((row) => titleOf(collection, row));
      return setWarning(t.grid.changedSince(titles.join(', ')));
    }
    const deleted = await remove.run(undefined);
    if (deleted === undefined) return;
    notify(t.grid.rowsDeleted(deleted.count), undoOf('delete', collection, deleted.requestId));
    onDeleted();
    onClose();
  };
  return (
    <Dialog
      title={t.grid.deleteRows(target.count)}
      onClose={onClose}
      submit={{ label: t.app.remove, isDanger: true, onSubmit }}
    >
      {mayUndo('delete', collection) && <p>{t.app.canUndo}</p>}
      {warning !== '' && <Problem>{warning}</Problem>}
    </Dialog>
  );
}
