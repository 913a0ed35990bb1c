/** The history of a row beside its form. A restored value goes into the form and is saved with it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Collection, labelOf, type Row } from '../api/catalogue.ts';
import { CHANGES_PER_PAGE, hasNoLog, logKey, readChanges, rowFilter } from '../api/changes.ts';
import { keyText } from '../api/query/keys.ts';
import { Button } from '../components/button.tsx';
import { Select } from '../components/inputs.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { printValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { ChangeList } from './entries.tsx';
import { changedFields } from './values.tsx';

interface RowHistoryProps {
  readonly collection: Collection;
  readonly row: Row;
  /** The form that a restored value goes into. */
  readonly draft: { readonly setText: (name: string, text: string) => void };
}

export default function RowHistory({ collection, row, draft }: RowHistoryProps) {
  const [only, setOnly] = useState('');
  const [limit, setLimit] = useState(CHANGES_PER_PAGE);
  const key = keyText(collection, row);
  const { data, error, refetch } = useQuery({
    queryKey: ['changes', 'row', collection.name, key, limit],
    queryFn: ({ signal }) => readChanges(rowFilter(collection, logKey(key)), limit, signal),
    placeholderData: (before) => before,
  });
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
      {hasNoLog(error) && <p className="help">{t.history.off}</p>}
      {error !== null && !hasNoLog(error) && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {changes?.length === 0 && <p className="help">{t.history.none}</p>}
      {changes !== undefined && (
        <ChangeList
          collection={collection}
          changes={changes}
          only={only === '' ? undefined : only}
          onRestoreValue={({ before }, field) =>
            draft.setText(field.name, printValue({ collection, field }, before?.[field.name]))
          }
        />
      )}
      {data?.length === limit && <Button onClick={() => setLimit(limit + CHANGES_PER_PAGE)}>{t.history.more}</Button>}
    </aside>
  );
}
