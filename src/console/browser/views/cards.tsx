/** A list as cards: the gallery, and the list of a phone. */
import { useState } from 'react';
import type { Row } from '../api/catalogue.ts';
import { keyText } from '../api/keys.ts';
import type { ListQuery } from '../api/list.ts';
import { useRows } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { formatNumber } from '../fields/numbers.ts';
import { NoRows } from '../grid/no-rows.tsx';
import { t } from '../i18n/text.ts';
import { RowCard } from './row-card.tsx';

const STEP = 60;

export default function Cards({ query }: { readonly query: ListQuery }) {
  const { collection } = query;
  const [count, setCount] = useState(STEP);
  const { rowAt, total = 0, error, isLoading, refetch } = useRows(query, 0, count - 1);
  if (error !== null) return <ErrorMessage error={error} onRetry={refetch} />;
  if (isLoading) return <Skeleton />;
  if (total === 0) return <NoRows query={query} />;
  const rows = Array.from({ length: Math.min(count, total) }, (_, at) => rowAt(at)).filter(
    (row): row is Row => row !== undefined,
  );
  return (
    <div className="row-cards">
      <ul>
        {rows.map((row) => (
          <li key={keyText(collection, row)}>
            <RowCard collection={collection} row={row} />
          </li>
        ))}
      </ul>
      {count < total && (
        <Button onClick={() => setCount(count + STEP)}>{t.views.showMore(formatNumber(total - count))}</Button>
      )}
    </div>
  );
}
