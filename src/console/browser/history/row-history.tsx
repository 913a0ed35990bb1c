/** The history of a row beside its form. A restored value goes into the form and is saved with it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Collection, labelOf, type Row } from '../api/catalogue.ts';
import { CHANGES_PER_PAGE, logKey, readChanges, rowFilter } from '../api/changes.ts';
import { keyText } from '../api/query/text.ts';
import { Button } from '../components/button.tsx';
import { Select } from '../components/inputs.tsx';
import { formatMoment } from '../fields/dates.ts';
import { printValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { ChangeList, changedFields, LogState } from './change-list.tsx';
import { restoreRow } from './restore.tsx';

interface RowHistoryProps {
  readonly collection: Collection;
  readonly row: Row;
  /** Puts a value into the form. */
  readonly onRestore: (name: string, text: string) => void;
}

export default function RowHistory({ collection, row, onRestore }: RowHistoryProps) {
  const [only, setOnly] = useState('');
  const [limit, setLimit] = useState(CHANGES_PER_PAGE);
  const key = keyText(collection, row);
  const query = useQuery({
    queryKey: ['changes', 'row', collection.name, key, limit],
    queryFn: ({ signal }) => readChanges(rowFilter(collection, logKey(key)), limit, signal),
    placeholderData: (before) => before,
  });
  const { data } = query;
  const concerns = (name: string) =>
    data?.filter((each) => changedFields(collection, each).some((f) => f.name === name));
  const changes = only === '' ? data : concerns(only);
  return (
    <aside className="row-history stack" aria-label={t.history.title}>
      <h2>{t.history.title}</h2>
      <Select
        label={t.app.field}
        value={only}
        empty={t.history.allFields}
        options={collection.fields.map((each) => [each.name, labelOf(each)] as const)}
        onChange={setOnly}
      />
      <LogState query={query} />
      {changes?.length === 0 && <p className="help">{t.history.none}</p>}
      <ChangeList
        changes={changes ?? []}
        headOf={(change) => (
          <>
            <strong>{change.actor ?? t.history.unknown}</strong> {t.history.kinds[change.kind]}{' '}
            <time dateTime={change.at}>{formatMoment(change.at)}</time>
            {change.kind === 'update' && (
              <Button kind="quiet" className="small" icon="rotate-ccw" onClick={() => restoreRow(change)}>
                {t.history.restoreRow.update}
              </Button>
            )}
          </>
        )}
        isShown={(_change, { name }) => only === '' || name === only}
        onRestore={({ before }, field) =>
          onRestore(field.name, printValue({ collection, field }, before?.[field.name]))
        }
      />
      {data?.length === limit && <Button onClick={() => setLimit(limit + CHANGES_PER_PAGE)}>{t.history.more}</Button>}
    </aside>
  );
}
