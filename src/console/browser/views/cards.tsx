/** A list as cards: the gallery, and the list of a phone. More rows load at the end. */
import { useEffect, useRef, useState } from 'react';
import { useRows } from '../api/queries.ts';
import { keyText } from '../api/query/keys.ts';
import type { ListQuery } from '../api/query/list.ts';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { t } from '../i18n/text.ts';
import { NoRows } from './no-rows.tsx';
import { RowCard } from './row-card.tsx';

const STEP = 60;

export default function Cards({ query }: { readonly query: ListQuery }) {
  const { collection } = query;
  const [count, setCount] = useState(STEP);
  const { firstRows, total = 0, error, isLoading, refetch } = useRows(query, 0, count - 1);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (end.current === null || count >= total) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setCount(count + STEP));
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [count, total]);
  if (error !== null) return <ErrorMessage error={error} onRetry={refetch} />;
  if (isLoading) return <Skeleton />;
  if (total === 0) return <NoRows query={query} />;
  return (
    <div className="row-cards">
      <ul aria-label={t.grid.label}>
        {firstRows(count).map((row) => (
          <li key={keyText(collection, row)}>
            <RowCard query={query} row={row} />
          </li>
        ))}
      </ul>
      <div ref={end} />
    </div>
  );
}
