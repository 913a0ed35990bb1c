/** A list as cards: the gallery, and the list of a phone. More rows load at the end. */

import type { ListQuery } from '../api/query/list.ts';
import { keyText } from '../api/query/text.ts';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { useMoreRows } from './more-rows.ts';
import { NoRows } from './no-rows.tsx';
import { type CardSelection, RowCard } from './row-card.tsx';

interface CardsProps {
  readonly query: ListQuery;
  readonly selection: CardSelection;
}

export default function Cards({ query, selection }: CardsProps) {
  const { collection } = query;
  const { rows, total, end, error, isLoading, refetch } = useMoreRows(query);
  if (error !== null) return <ErrorMessage error={error} onRetry={refetch} />;
  if (isLoading) return <Skeleton />;
  if (total === 0) return <NoRows query={query} />;
  return (
    <div className="row-cards">
      <ul aria-label={t.grid.label}>
        {rows.map((row) => (
          <li key={keyText(collection, row)}>
            <RowCard query={query} row={row} selection={selection} />
          </li>
        ))}
      </ul>
      <div ref={end} />
    </div>
  );
}
