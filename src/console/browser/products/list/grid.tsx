/**
 * The grid. react-admin holds the data and the sort order. The table is plain HTML, since hundreds of cell components
 * would delay the first view.
 */
import { Box, Button, LinearProgress, Typography } from '@mui/material';
import { useEffect, useRef, useState } from 'react';
import { useListContext } from 'react-admin';
import type { Field } from '../../../../collection/declaration.ts';
import { collectionName, countedRows } from '../../shared/api/collection.ts';
import { ProblemInPlace } from '../../shared/page/problem.tsx';
import { formatNumber } from '../../shared/values/numbers.ts';
import { useColumns } from './columns.tsx';
import { gridStyle, gridWidth } from './grid-style.ts';
import { Head } from './head.tsx';
import { Rows } from './rows.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useShownRows } from './visible-rows.tsx';

export function Grid() {
  const { shown, widthOf } = useColumns();
  const { error, isPending, isFetching, refetch } = useListContext();
  const { rows } = useShownRows();
  if (error !== null && error !== undefined && !isFetching) return <LoadError error={error} retry={refetch} />;
  if (isPending) return <LinearProgress aria-label="Loading" />;
  return (
    <>
      <SelectionBar />
      {rows.length === 0 ? <EmptyList /> : <Table columns={shown} widthOf={widthOf} />}
      <Announcement />
    </>
  );
}

interface TableProps {
  readonly columns: readonly Field[];
  readonly widthOf: (field: Field) => number;
}

function Table({ columns, widthOf }: TableProps) {
  const width = gridWidth(columns, widthOf);
  const frame = useRef<HTMLDivElement>(null);
  const [isWider, setWider] = useState(false);
  // If all columns fit, the page scrolls and the head stays below the bar. Otherwise the grid scrolls by itself.
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWider(width > current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [width]);
  return (
    <Box ref={frame} sx={gridStyle} className={isWider ? 'wider' : ''}>
      <table style={{ minWidth: width }}>
        <Head columns={columns} widthOf={widthOf} />
        <Rows columns={columns} />
      </table>
    </Box>
  );
}

function LoadError({ error, retry }: { readonly error: unknown; readonly retry: () => unknown }) {
  const { filterValues, setFilters } = useListContext();
  const isFiltered = Object.keys((filterValues ?? {}) as object).length > 0;
  return (
    <Box sx={{ p: 2 }}>
      <ProblemInPlace title={`Could not load the ${collectionName.replaceAll('_', ' ')}`} error={error} retry={retry}>
        {isFiltered && (
          <Button size="small" color="inherit" onClick={() => setFilters({}, undefined, false)}>
            Clear filters
          </Button>
        )}
      </ProblemInPlace>
    </Box>
  );
}

function EmptyList() {
  const { filterValues, setFilters } = useListContext();
  const isFiltered = Object.keys((filterValues ?? {}) as object).length > 0;
  const words = collectionName.replaceAll('_', ' ');
  return (
    <Box sx={{ p: 2, display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
      <Typography>{isFiltered ? `No ${words} found.` : `There are no ${words} yet.`}</Typography>
      {isFiltered && <Button onClick={() => setFilters({}, undefined, false)}>Clear filters</Button>}
    </Box>
  );
}

/** Announces the new rows to screen readers. */
function Announcement() {
  const { total = 0, page, perPage, isFetching } = useListContext();
  const from = (page - 1) * perPage + 1;
  const range = `${formatNumber(from)} to ${formatNumber(Math.min(from + perPage - 1, total))}`;
  const text =
    total === 0 ? `No ${collectionName.replaceAll('_', ' ')} found` : `${countedRows(total)}, ${range} shown`;
  return (
    <p className="visually-hidden" role="status">
      {isFetching ? '' : text}
    </p>
  );
}
