/** Small charts in plain HTML. Each bar links to its list and is readable as text. */
import { Box, Link, Typography } from '@mui/material';
import { Link as RouterLink } from 'react-router-dom';
import { listLink } from '../shared/api/query.ts';
import type { Bar } from './bar.ts';

interface ChartProps {
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}

export function BarList({ bars, format }: ChartProps) {
  const most = Math.max(...bars.map(({ value }) => value), 1);
  return (
    <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0, display: 'grid', gap: 0.25 }}>
      {bars.map((bar) => (
        <li key={bar.label}>
          <ChartLink bar={bar}>
            <Box
              sx={{
                display: 'grid',
                gridTemplateColumns: { xs: '7rem 1fr 6.5rem', sm: '10rem 1fr 7.5rem' },
                alignItems: 'center',
                gap: 1,
                py: 0.5,
              }}
            >
              <Typography variant="body2" noWrap title={bar.label}>
                {bar.label}
              </Typography>
              <svg width="100%" height="14" aria-hidden="true">
                <rect width={`${(100 * bar.value) / most}%`} height="14" rx="3" fill="currentColor" />
              </svg>
              <Typography variant="body2" sx={{ textAlign: 'right', fontVariantNumeric: 'tabular-nums' }}>
                {format(bar.value)}
              </Typography>
            </Box>
          </ChartLink>
        </li>
      ))}
    </Box>
  );
}

const HEIGHT = 210;

export function Columns({ bars, format }: ChartProps) {
  const most = Math.max(...bars.map(({ value }) => value), 1);
  return (
    <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0, display: 'flex', gap: 0.5, overflowX: 'auto' }}>
      {bars.map((bar) => {
        const height = Math.max((HEIGHT * bar.value) / most, bar.value > 0 ? 2 : 0);
        return (
          <Box component="li" key={bar.label} sx={{ flex: '1 0 3.2rem', textAlign: 'center' }}>
            <ChartLink bar={bar}>
              <svg width="100%" height={HEIGHT + 22} aria-hidden="true">
                <rect x="8%" y={HEIGHT + 22 - height} width="84%" height={height} rx="3" fill="currentColor" />
                <Box
                  component="text"
                  x="50%"
                  y={HEIGHT + 14 - height}
                  sx={(theme) => ({ fill: theme.palette.text.primary, fontSize: 13, textAnchor: 'middle' })}
                >
                  {format(bar.value)}
                </Box>
              </svg>
              <Typography variant="caption" sx={{ display: 'block', color: 'text.secondary' }}>
                {bar.label}
              </Typography>
              <span className="visually-hidden">: {format(bar.value)}</span>
            </ChartLink>
          </Box>
        );
      })}
    </Box>
  );
}

function ChartLink({ bar, children }: { readonly bar: Bar; readonly children: React.ReactNode }) {
  return (
    <Link
      component={RouterLink}
      to={listLink(bar.where)}
      underline="none"
      data-value={bar.value}
      sx={{
        display: 'block',
        borderRadius: 1,
        px: 0.5,
        '& p': { color: 'text.primary' },
        '&:hover': { backgroundColor: 'action.hover' },
      }}
    >
      {children}
    </Link>
  );
}
