/** Lists the rows that refer to the current row, below its form. */
import { Box, Card, Link, Typography } from '@mui/material';
import { useCallback, useEffect, useState } from 'react';
import { type KeyedRow, oneOf } from '../../shared/api/collection.ts';
import { ProblemInPlace } from '../../shared/page/problem.tsx';
import { type Referrers, referrersOf } from '../../shared/values/referrers.ts';

export function ReferrersOf({ row: { id } }: { readonly row: KeyedRow }) {
  const [all, setAll] = useState<readonly Referrers[]>();
  const [error, setError] = useState<unknown>();
  const read = useCallback(
    async (signal?: AbortSignal) => {
      try {
        setAll(await referrersOf(id, signal));
        setError(undefined);
      } catch (problem) {
        if (!signal?.aborted) setError(problem);
      }
    },
    [id],
  );
  useEffect(() => {
    const ending = new AbortController();
    void read(ending.signal);
    return () => ending.abort();
  }, [read]);
  if (error !== undefined)
    return <ProblemInPlace title="Could not load the referring rows" error={error} retry={() => read()} />;
  if (all === undefined || all.length === 0) return null;
  return (
    <Card component="section" aria-label={`Rows that refer to this ${oneOf()}`} sx={{ mt: 2, p: 2, maxWidth: 820 }}>
      <Typography component="h2" variant="subtitle1" sx={{ fontWeight: 600 }}>
        Rows that refer to this {oneOf()}
      </Typography>
      {all.map(({ title, rows, href, isMore }) => (
        <Box key={title} sx={{ mt: 1.5 }}>
          <Typography component="h3" variant="subtitle2">
            {title}
          </Typography>
          <Box component="ul" sx={{ m: 0, pl: 2.5, typography: 'body2', overflowWrap: 'anywhere' }}>
            {rows.map((each, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one answer keep their order
              <li key={at}>{each.href === undefined ? each.title : <Link href={each.href}>{each.title}</Link>}</li>
            ))}
            {isMore && href === undefined && <li>and more</li>}
          </Box>
          {isMore && href !== undefined && (
            <Link href={href} variant="body2">
              Show all in {title}
            </Link>
          )}
        </Box>
      ))}
    </Card>
  );
}
