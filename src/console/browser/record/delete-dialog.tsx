/** Asks before rows are deleted: what refers to them, and what others changed since the person saw them. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { deleteAll, rowsChangedSince, type Target } from '../api/bulk-change.ts';
import { mayUndo, referrersOf, titleOf, titleOfCollection } from '../api/catalogue.ts';
import { useWrite } from '../api/queries.ts';
import { listUrl } from '../api/query/list.ts';
import { queryClient } from '../api/query-client.ts';
import { Dialog, useClose } from '../components/dialog.tsx';
import { Loaded, Problem } from '../components/small.tsx';
import { notify, undoOf } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import { addressOf, countEffects } from './deletion-effects.ts';

/** More changed rows are not named. */
const MOST_NAMED = 20;

interface DeleteDialogProps {
  readonly target: Target;
  readonly onDeleted: () => void;
}

export default function DeleteDialog({ target, onDeleted }: DeleteDialogProps) {
  const { rows = [], count } = target;
  const { collection } = target.query;
  const [warning, setWarning] = useState('');
  const remove = useWrite(collection, () => deleteAll(target));
  const [only] = count === 1 ? rows : [];
  const onSubmit = async () => {
    const changed = warning === '' ? await rowsChangedSince(target) : [];
    if (changed.length > 0) {
      const titles = changed.slice(0, MOST_NAMED).map((row) => titleOf(collection, row));
      setWarning(t.grid.changedSince(titles.join(', ')));
      return false;
    }
    const deleted = await remove.run(undefined);
    if (deleted === undefined) return false;
    void queryClient.invalidateQueries();
    const message = only === undefined ? t.grid.rowsDeleted(deleted.count) : t.record.deleted;
    notify(message, undoOf('delete', collection, deleted.requestId));
    return onDeleted();
  };
  return (
    <Dialog
      title={only === undefined ? t.grid.deleteRows(count) : t.record.deleteTitle(titleOf(collection, only))}
      submit={{ label: t.app.remove, isDanger: true, onSubmit }}
    >
      <p>{mayUndo('delete', collection) ? t.app.canUndo : t.record.deleteForever}</p>
      <OtherRows target={target} />
      {warning !== '' && <Problem>{warning}</Problem>}
    </Dialog>
  );
}

/** The effects on other rows. It has its height before they are counted, so that no button moves below the pointer. */
function OtherRows({ target }: { readonly target: Target }) {
  const { collection } = target.query;
  const close = useClose();
  const query = useQuery({
    queryKey: ['row', collection.name, 'referrers', target.rows ?? listUrl(target.query)],
    queryFn: ({ signal }) => countEffects(target, signal),
    retry: false,
  });
  if (referrersOf(collection).length === 0) return null;
  return (
    <div className="other-rows" aria-live="polite">
      <Loaded query={query} lines={2}>
        {({ effects, isComplete }) => (
          <ul className="bullets">
            {effects.map((effect) => {
              const { from, onDelete } = effect.reference;
              const text = t.record.referrers[onDelete](titleOfCollection(from), effect.count);
              const address = addressOf(target, effect);
              return (
                <li key={`${from.name} ${onDelete}`}>
                  {address === undefined ? (
                    text
                  ) : (
                    <Link href={address} onClick={close}>
                      {text}
                    </Link>
                  )}
                </li>
              );
            })}
            {!isComplete && <li>{t.record.moreReferrers}</li>}
          </ul>
        )}
      </Loaded>
    </div>
  );
}
