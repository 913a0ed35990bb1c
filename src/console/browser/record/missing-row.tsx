/** A row that is not there: it never existed, or someone deleted it. The log of changes knows which. */
import { useQuery } from '@tanstack/react-query';
import { type Collection, mayUndo, titleOfCollection } from '../api/catalogue.ts';
import { logKey, readChanges, rowFilter } from '../api/changes.ts';
import { ApiError } from '../api/errors.ts';
import { useWrite } from '../api/queries.ts';
import { pathOf } from '../api/query/text.ts';
import { Button } from '../components/button.tsx';
import { EmptyState, Skeleton } from '../components/small.tsx';
import { revert } from '../components/toasts.tsx';
import { formatMoment } from '../fields/dates.ts';
import { t } from '../i18n/text.ts';

export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

interface MissingRowProps {
  readonly collection: Collection;
  readonly rowKey: string;
  /** Whether the page has shown the row before. Then someone deleted it, even if the log is off. */
  readonly wasShown: boolean;
}

export function MissingRow({ collection, rowKey, wasShown }: MissingRowProps) {
  const filters = rowFilter(collection, logKey(rowKey));
  const { data, isPending } = useQuery({
    queryKey: ['changes', 'deletion', collection.name, rowKey],
    queryFn: async ({ signal }) => (await readChanges(filters, 1, signal))[0] ?? null,
    retry: false,
  });
  const last = data?.kind === 'delete' ? data : undefined;
  const undo = useWrite(collection, (seq: number) => revert([['seq', `eq.${seq}`]], () => t.record.restored, true));
  const actions = (
    <>
      {last !== undefined && mayUndo('delete', collection) && (
        <Button kind="primary" aria-disabled={undo.isPending} onClick={() => void undo.run(last.seq)}>
          {t.app.restore}
        </Button>
      )}
      {!wasShown && <Button href={`/c${pathOf(collection)}`}>{t.record.toList(titleOfCollection(collection))}</Button>}
    </>
  );
  const text =
    last === undefined
      ? wasShown
        ? t.record.someoneDeleted
        : t.record.neverExisted
      : t.record.deletedBy(last.actor ?? t.history.unknown, formatMoment(last.at));
  if (wasShown)
    return (
      <div className="notice warn line wrap" role="alert">
        <span>{text}</span> {t.record.inputKept} <span className="space" />
        {actions}
      </div>
    );
  if (isPending) return <Skeleton />;
  return (
    <EmptyState isPage title={t.record.missing} text={text}>
      {actions}
    </EmptyState>
  );
}
