/** The overview page. */
import { Alert, Box, Button, LinearProgress } from '@mui/material';
import { useQueries } from '@tanstack/react-query';
import { collectionTitle, fieldWithRole, labelOf } from '../shared/api/collection.ts';
import { Title } from '../shared/page/page-title.tsx';
import { formatNumber, formatPrice } from '../shared/values/numbers.ts';
import { describeError } from '../shared/values/words.ts';
import { keyOf, NAMES, readPart } from './asked.ts';
import { Columns } from './charts.tsx';
import { byGroup, type Figures } from './figures.ts';
import { ChartPanel, LowPanel, Panel, Tile } from './panels.tsx';

export function Overview() {
  // As queries, so that Refresh requests them again.
  const parts = useQueries({
    queries: NAMES.map((name) => ({
      queryKey: keyOf(name),
      queryFn: () => readPart(name),
      retry: false,
      // Also without a connection: the request then fails with a message.
      networkMode: 'always' as const,
      refetchOnWindowFocus: false,
    })),
  });
  const figures = Object.fromEntries(NAMES.map((name, at) => [name, parts[at]!.data ?? undefined])) as Figures;
  const isFetching = parts.some((part) => part.isFetching);
  const failed = parts.filter((part) => part.error !== null && !part.isFetching);
  const reasons = [...new Set(failed.map((part) => describeError(part.error)))];
  return (
    <Box sx={{ py: 2, display: 'grid', gap: 2 }} aria-busy={isFetching}>
      <Title title="Overview" />
      {parts.some((part) => part.isLoading) && <LinearProgress aria-label="Loading the figures" />}
      {reasons.length > 0 && (
        <Alert
          severity="error"
          action={
            <Button color="inherit" size="small" onClick={() => void Promise.all(failed.map((part) => part.refetch()))}>
              Try again
            </Button>
          }
        >
          {figures.count === undefined ? 'Could not load the figures: ' : 'Some figures are missing: '}
          {reasons.join(' ')}
        </Alert>
      )}
      <FigureGrid figures={figures} />
    </Box>
  );
}

/** Omits cents of large amounts. */
const formatWorth = (value: number): string => (value < 1e6 ? formatPrice(value) : formatNumber(value));

function FigureGrid({ figures }: { readonly figures: Figures }) {
  const { count, sums, low, prices = [], counts = [] } = figures;
  const flagged = sums?.flagged;
  const flag = fieldWithRole('flag');
  const stock = fieldWithRole('stock');
  const threshold = fieldWithRole('threshold');
  const by = byGroup();
  return (
    <>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(150px, 1fr))' }}>
        {count !== undefined && (
          <Tile id="count" label={collectionTitle.toLowerCase()} value={formatNumber(count)} where={[]} />
        )}
        {sums?.worth !== undefined && (
          <Tile id="stock-value" label="stock value" value={formatWorth(sums.worth)} where={[]} />
        )}
        {sums?.units !== undefined && stock && (
          <Tile id="units" label={labelOf(stock).toLowerCase()} value={formatNumber(sums.units)} where={[]} />
        )}
        {low && threshold && (
          <Tile
            id="low"
            label={`below ${labelOf(threshold).toLowerCase()}`}
            value={formatNumber(low.count)}
            where={low.where}
          />
        )}
        {flag && flagged && (
          <Tile
            id="flagged"
            label={labelOf(flag).toLowerCase()}
            value={formatNumber(flagged.count)}
            where={flagged.where}
          />
        )}
      </Box>
      <Box
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' } }}
      >
        <ChartPanel id="value-by-group" title={`Stock value${by}`} chart={sums?.worthByGroup} format={formatWorth} />
        {stock && <ChartPanel id="units-by-group" title={`${labelOf(stock)}${by}`} chart={sums?.unitsByGroup} />}
        {prices.length > 0 && (
          <Panel id="prices" title={`${labelOf(fieldWithRole('price')!)}: distribution`}>
            <Columns bars={prices} format={formatNumber} />
          </Panel>
        )}
        {low && low.count > 0 && <LowPanel low={low} />}
        {flag && <ChartPanel id="flagged-by-group" title={`${labelOf(flag)}${by}`} chart={flagged} />}
        {counts.map(({ field, ...chart }) => (
          <ChartPanel
            key={field.name}
            id={`count-by-${field.name}`}
            title={`${collectionTitle} by ${labelOf(field).toLowerCase()}`}
            chart={chart}
          />
        ))}
      </Box>
    </>
  );
}
