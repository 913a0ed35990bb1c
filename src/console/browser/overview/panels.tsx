/** Figures and charts of the overview, with links to their lists. */
import { Box, Button, Card, CardContent, Link, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { fieldWithRole, itemPath, key, labelOf, titleOf } from '../shared/api/collection.ts';
import { type Chip, listLink } from '../shared/api/query.ts';
import { formatNumber } from '../shared/values/numbers.ts';
import { BarList } from './charts.tsx';
import type { Chart } from './figures.ts';
import type { Low } from './low.ts';

interface ChartPanelProps {
  readonly id: string;
  readonly title: string;
  readonly chart: Chart | undefined;
  readonly format?: (value: number) => string;
}

export function ChartPanel({ id, title, chart, format = formatNumber }: ChartPanelProps) {
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

export function Panel({
  id,
  title,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly children: ReactNode;
}) {
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
  /** Absent if no filter lists exactly these rows. */
  readonly where: readonly Chip[] | undefined;
}

export function Tile({ id, label, value, where }: TileProps) {
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

export function LowPanel({ low }: { readonly low: Low }) {
  const stock = fieldWithRole('stock')!;
  const threshold = fieldWithRole('threshold')!;
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
