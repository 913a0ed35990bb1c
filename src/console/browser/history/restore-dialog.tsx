/** Shows what an undo would change before it happens: a dry run of the same request. */
import { useQuery } from '@tanstack/react-query';
import { previewUndo, type Undone, type UndoPreview } from '../api/changes.ts';
import type { Pair } from '../api/query/list.ts';
import { titleOfChange, useChangeTitles } from '../api/query/title-lookup.ts';
import { Dialog } from '../components/dialog.tsx';
import { Loaded } from '../components/small.tsx';
import { revert } from '../components/toasts.tsx';
import { t } from '../i18n/text.ts';
import { ChangeList } from './change-list.tsx';

const SHOWN = 20;

interface RestoreDialogProps {
  readonly title: string;
  readonly filters: readonly Pair[];
}

export default function RestoreDialog({ title, filters }: RestoreDialogProps) {
  const query = useQuery({
    // Not below `changes`: new changes must not repeat a dry run of thousands of rows.
    queryKey: ['preview of an undo', filters],
    queryFn: () => previewUndo(filters),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const wordsOf = ({ undone, skipped }: Undone) => {
    const kept = skipped.length > 0 ? [t.history.keptRows(skipped.length)] : [];
    return [t.history.restored(undone), ...kept].join(' ');
  };
  const onSubmit = () => void revert(filters, wordsOf, true);
  const isBusy = query.data === undefined || query.data.total === 0;
  return (
    <Dialog title={title} size="large" submit={{ label: t.app.restore, isBusy, isFirst: true, onSubmit }}>
      <Loaded query={query} lines={3}>
        {(data) => <Preview {...data} />}
      </Loaded>
    </Dialog>
  );
}

function Preview({ total, changes, skipped }: UndoPreview) {
  const kept = skipped.slice(0, SHOWN).map((each) => ({ ...each, before: null, after: null }));
  useChangeTitles(kept);
  return (
    <>
      <p>{total === 0 ? t.history.nothingToRestore : t.history.willChange(total)}</p>
      {skipped.length > 0 && (
        <p className="problem">
          {t.history.changedSince(skipped.length)} {kept.map(titleOfChange).join(', ')}
        </p>
      )}
      <ChangeList
        changes={changes.slice(0, SHOWN)}
        headOf={(change) => (
          <>
            <strong>{titleOfChange(change)}</strong> {t.history.willBe[change.kind]}
          </>
        )}
        isShown={({ kind }) => kind === 'update'}
      />
    </>
  );
}
