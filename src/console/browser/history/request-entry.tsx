/** One request of the log: who, when, what, and on demand every row that it changed. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { collectionNamed, type Field, titleOfCollection } from '../api/catalogue.ts';
import { CHANGES_PER_PAGE, type Change, type LoggedRequest, readChanges, rowOfLogKey } from '../api/changes.ts';
import type { Pair } from '../api/query/list.ts';
import { rowAddress } from '../api/query/text.ts';
import { titleOfChange } from '../api/query/title-lookup.ts';
import { hidesActors } from '../api/session/page-data.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Loaded } from '../components/small.tsx';
import { notifyError, saveAndReport } from '../components/toasts.tsx';
import { formatMoment } from '../fields/dates.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { ChangeList } from './change-list.tsx';
import { askToRestore, restoreRow } from './restore.tsx';

interface RequestEntryProps {
  readonly request: LoggedRequest;
  /** The filters of the page, which changes of other programs need as well. */
  readonly filters: readonly Pair[];
}

export function RequestEntry({ request, filters }: RequestEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const own = requestFilters(request, filters);
  const summary = request.parts
    .map(({ collection: name, kind, count }) => {
      const collection = titleOfCollection(collectionNamed(name)!);
      return `${collection}: ${formatNumber(count)} ${t.history.kinds[kind]}`;
    })
    .join(', ');
  return (
    <li className="request panel">
      <header className="line">
        <button type="button" className="request-toggle item" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <time dateTime={request.at}>{formatMoment(request.at)}</time>
          {!hidesActors && <strong>{request.actor ?? t.history.unknown}</strong>}
          <span>{summary}</span>
        </button>
        {request.id !== null && (
          <Button
            kind="quiet"
            className="small"
            icon="rotate-ccw"
            onClick={() => askToRestore(t.history.restoreAllTitle, own)}
          >
            {t.history.restoreAll}
          </Button>
        )}
      </header>
      {isOpen && <RequestChanges filters={own} />}
    </li>
  );
}

/** An undo takes whole requests, so the filters of the page do not apply to them. */
function requestFilters({ id, actor }: LoggedRequest, filters: readonly Pair[]): readonly Pair[] {
  if (id !== null) return [['request_id', `eq.${id}`]];
  const by: readonly Pair[] = actor === undefined ? [] : [['actor', actor === null ? 'is.null' : `eq.${actor}`]];
  return [['request_id', 'is.null'], ...by, ...filters];
}

function RequestChanges({ filters }: { readonly filters: readonly Pair[] }) {
  const [limit, setLimit] = useState(CHANGES_PER_PAGE);
  const query = useQuery({
    queryKey: ['changes', 'entries', ...filters.flat(), limit],
    queryFn: ({ signal }) => readChanges(filters, limit, signal),
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={query}>
      {(data) => (
        <>
          <ChangeList
            changes={data.filter((change) => collectionNamed(change.collection) !== undefined)}
            headOf={headOf}
            onRestore={(change, field) => void restoreValue(change, field).catch(notifyError)}
          />
          {data.length === limit && (
            <Button onClick={() => setLimit(limit + CHANGES_PER_PAGE)}>{t.history.more}</Button>
          )}
        </>
      )}
    </Loaded>
  );
}

/** The row of a change, and a button to restore it as a whole. */
function headOf(change: Change): ReactNode {
  const { kind } = change;
  const collection = collectionNamed(change.collection)!;
  return (
    <>
      <Link href={rowAddress(collection, rowOfLogKey(collection, change.key))}>{titleOfChange(change)}</Link>
      <span className="help">
        {titleOfCollection(collection)}
        {kind !== 'update' && ` · ${t.history.kinds[kind]}`}
      </span>
      {kind !== 'update' && (
        <IconButton
          icon="undo-2"
          className="small"
          label={t.history.restoreRow[kind]}
          onClick={() => restoreRow(change)}
        />
      )}
    </>
  );
}

/** Sets a field to its value before the change. If someone changed it since, the person decides. */
function restoreValue({ collection: name, key, before, after }: Change, { name: field }: Field): Promise<void> {
  const collection = collectionNamed(name)!;
  const shown = { ...rowOfLogKey(collection, key), [field]: after![field] ?? null };
  return saveAndReport(collection, shown, { [field]: before![field] ?? null }, t.history.valueRestored);
}
