/** The catalogue at a glance. */
import { Alert, Box, Button, Card, CardContent, LinearProgress, Link, Typography } from '@mui/material';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Title } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import { collectionName, collectionTitle, fieldWith, itemPath, key, labelOf, titleOf } from '../shared/collection.ts';
import { formatNumber, formatPrice } from '../shared/numbers.ts';
import { type Chip, listLink } from '../shared/query.ts';
import { said } from '../shared/said.ts';
import { token } from '../shared/token.ts';
import { BarList, Columns } from './charts.tsx';
import { byGroup, type Chart, type Figures, PARTS, type PartName } from './figures.ts';
import type { Low } from './low.ts';

const NAMES = Object.keys(PARTS) as PartName[];

/** Asked for while the page is still being built, if it is the one that was opened. */
const isOpened = /^#?\/?$/.test(location.hash) && !token.isAskedFor();
const early = new Map<PartName, Promise<unknown>>(isOpened ? NAMES.map((name) => [name, PARTS[name]()]) : []);
for (const asked of early.values()) asked.catch(() => undefined);

/** No answer is kept for later: what was true then need not be now. */
async function readPart(name: PartName): Promise<unknown> {
  const asked = early.get(name) ?? PARTS[name]();
  early.delete(name);
  // react-query knows no answer that is undefined.
  return (await asked) ?? null;
}

export function Overview() {
  // Asked for like everything else that is shown, so that Refresh asks again.
  const parts = useQueries({
    queries: NAMES.map((name) => ({
      queryKey: ['overview', collectionName, name],
      queryFn: () => readPart(name),
      retry: false,
      refetchOnWindowFocus: false,
    })),
  });
  const figures = Object.fromEntries(NAMES.map((name, at) => [name, parts[at]!.data ?? undefined])) as Figures;
  const isFetching = parts.some((part) => part.isFetching);
  const failed = parts.filter((part) => part.error !== null && !part.isFetching);
  const reasons = [...new Set(failed.map((part) => said(part.error)))];
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
          {figures.count === undefined ? 'The figures could not be had: ' : 'Some figures are missing: '}
          {reasons.join(' ')}
        </Alert>
      )}
      <Sheet figures={figures} />
    </Box>
  );
}

/** Where there are millions, nobody counts the cents. */
const formatWorth = (value: number): string => (value < 1e6 ? formatPrice(value) : formatNumber(value));

function Sheet({ figures }: { readonly figures: Figures }) {
  const { count, sums, low, prices = [], counts = [] } = figures;
  const flagged = sums?.flagged;
  const flag = fieldWith('flag');
  const stock = fieldWith('stock');
  const threshold = fieldWith('threshold');
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
          <Panel id="prices" title={`${labelOf(fieldWith('price')!)}: how many cost how much`}>
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

interface ChartPanelProps {
  readonly id: string;
  readonly title: string;
  readonly chart: Chart | undefined;
  readonly format?: (value: number) => string;
}

function ChartPanel({ id, title, chart, format = formatNumber }: ChartPanelProps) {
  if (chart === undefined || chart.bars.length === 0) return null;
  return (
    <Panel id={id} title={title}>
      <BarList bars={chart.bars} format={format} />
      {chart.others > 0 && (
        <Typography variant="body2" sx={{ mt: 1, color: 'text.secondary' }}>
          and {formatNumber(chart.others)} more
        </Typography>
      )}
    </Panel>
  );
}

function Panel({ id, title, children }: { readonly id: string; readonly title: string; readonly children: ReactNode }) {
  return (
    <Card component="section" aria-labelledby={`${id}-title`} data-panel={id}>
      <CardContent>
        <Typography id={`${id}-title`} variant="h6" component="h2" sx={{ mb: 1 }}>
          {title}
        </Typography>
        {children}
      </CardContent>
    </Card>
  );
}

interface TileProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** Absent where no list shows just these. */
  readonly where: readonly Chip[] | undefined;
}

function Tile({ id, label, value, where }: TileProps) {
  const content = (
    <CardContent sx={{ '&:last-child': { pb: 2 } }}>
      <Typography sx={{ fontSize: '1.5rem', fontWeight: 650, lineHeight: 1.15, overflowWrap: 'anywhere' }}>
        {value}
      </Typography>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {label}
      </Typography>
    </CardContent>
  );
  return (
    <Card data-figure={id}>
      {where === undefined ? (
        content
      ) : (
        <Link component={RouterLink} to={listLink(where)} underline="none" color="inherit" sx={{ display: 'block' }}>
          {content}
        </Link>
      )}
    </Card>
  );
}

function LowPanel({ low }: { readonly low: Low }) {
  const stock = fieldWith('stock')!;
  const threshold = fieldWith('threshold')!;
  return (
    <Panel id="low" title={`${labelOf(stock)} below ${labelOf(threshold).toLowerCase()}`}>
      <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {low.rows.map((row) => (
          <Box component="li" key={String(row[key.name])} sx={{ display: 'flex', gap: 1, py: 0.5 }}>
            <Link component={RouterLink} to={itemPath(row[key.name]!)} underline="hover" sx={{ flex: 1 }}>
              {titleOf(row)}
            </Link>
            <Typography variant="body2" sx={{ color: 'text.secondary', whiteSpace: 'nowrap' }}>
              {row[stock.name]} of {row[threshold.name]}
            </Typography>
          </Box>
        ))}
      </Box>
      {low.where && (
        <Button component={RouterLink} to={listLink(low.where)} size="small" sx={{ mt: 1 }}>
          Show all {formatNumber(low.count)}
        </Button>
      )}
    </Panel>
  );
}
