/** The rows of a list from its begin. More load when the element at their end comes into view. */
import { useEffect, useRef, useState } from 'react';
import { useRows } from '../api/queries.ts';
import type { ListQuery } from '../api/query/list.ts';

const STEP = 60;

export function useMoreRows(query: ListQuery) {
  const [count, setCount] = useState(STEP);
  const { firstRows, total = 0, ...rest } = useRows(query, 0, count - 1);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (end.current === null || count >= total) return;
    const more: IntersectionObserverCallback = ([entry]) => entry?.isIntersecting && setCount(count + STEP);
    const observer = new IntersectionObserver(more, { rootMargin: '400px' });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [count, total]);
  return { ...rest, rows: firstRows(count), total, end };
}
