/** The catalogue at a glance. */
import { Box, Button, Card, CardContent, Link, Typography } from '@mui/material';
import { type ReactNode, useEffect, useState } from 'react';
import { Title } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import { collectionName, fieldWith, itemPath, labelOf, titleOf } from '../shared/collection.ts';
import { messageOf } from '../shared/http.ts';
import { formatNumber, formatPrice } from '../shared/numbers.ts';
import { type Chip, listLink } from '../shared/query.ts';
import { isLoginWanted } from '../shared/session.ts';
import { token } from '../shared/token.ts';
import { BarList, Columns } from './charts.tsx';
import { type Figures, readFigures } from './figures.ts';

/** Asked for while the page is still being built, if it is the one that was opened. */
let early = /^#?\/?$/.test(location.hash) && !token.isAskedFor() && !isLoginWanted() ? readFigures() : undefined;
early?.catch(() => undefined);

export function Overview() {
  const [figures, setFigures] = useState<Figures>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const asked = early ?? readFigures();
    early = undefined;
    asked.then(setFigures, (error: unknown) => setProblem(messageOf(error)));
  }, []);
  return (
    <Box sx={{ py: 2, display: 'grid', gap: 2 }} aria-busy={figures === undefined}>
      <Title title="Overview" />
      {problem !== undefined && <Typography role="alert">{problem}</Typography>}
      {figures !== undefined && <Sheet figures={figures} />}
    </Box>
  );
}

function Sheet({ figures }: { readonly figures: Figures }) {
  const group = fieldWith('group');
  const flag = fieldWith('flag');
  const by = group === undefined ? '' : ` by ${labelOf(group).toLowerCase()}`;
  return (
    <>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fit, minmax(150px, 1fr))' }}>
        <Tile id="count" label={collectionName} value={formatNumber(figures.count)} where={[]} />
        {fieldWith('price') && fieldWith('stock') && (
          <Tile id="stock-value" label="stock value" value={formatPrice(figures.stockValue)} where={[]} />
        )}
        {fieldWith('stock') && (
          <Tile id="units" label="units in stock" value={formatNumber(figures.units)} where={[]} />
        )}
        {fieldWith('threshold') && (
          <Tile
            id="low"
            label="below reorder level"
            value={formatNumber(figures.low.count)}
            where={figures.low.where}
          />
        )}
        {flag && (
          <Tile
            id="flagged"
            label={labelOf(flag).toLowerCase()}
            value={formatNumber(figures.flagged.count)}
            where={figures.flagged.where}
          />
        )}
      </Box>
      <Box
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' } }}
      >
        {figures.valueByGroup.length > 0 && (
          <Panel id="value-by-group" title={`Stock value${by}`}>
            <BarList bars={figures.valueByGroup} format={formatPrice} />
          </Panel>
        )}
        {figures.unitsByGroup.length > 0 && (
          <Panel id="units-by-group" title={`Units in stock${by}`}>
            <BarList bars={figures.unitsByGroup} format={formatNumber} />
          </Panel>
        )}
        {figures.prices.length > 0 && (
          <Panel id="prices" title={`${labelOf(fieldWith('price')!)}: how many cost how much`}>
            <Columns bars={figures.prices} format={formatNumber} />
          </Panel>
        )}
        {figures.low.count > 0 && <LowPanel low={figures.low} />}
        {flag && figures.flagged.byGroup.length > 0 && (
          <Panel id="flagged-by-group" title={`${labelOf(flag)}${by}`}>
            <BarList bars={figures.flagged.byGroup} format={formatNumber} />
          </Panel>
        )}
      </Box>
    </>
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
  readonly where: readonly Chip[];
}

function Tile({ id, label, value, where }: TileProps) {
  return (
    <Card data-figure={id}>
      <Link component={RouterLink} to={listLink(where)} underline="none" color="inherit" sx={{ display: 'block' }}>
        <CardContent sx={{ '&:last-child': { pb: 2 } }}>
          <Typography sx={{ fontSize: '1.5rem', fontWeight: 650, lineHeight: 1.15 }}>{value}</Typography>
          <Typography variant="body2" sx={{ color: 'text.secondary' }}>
            {label}
          </Typography>
        </CardContent>
      </Link>
    </Card>
  );
}

function LowPanel({ low }: { readonly low: Figures['low'] }) {
  const stock = fieldWith('stock')!;
  const threshold = fieldWith('threshold')!;
  return (
    <Panel id="low" title={`${labelOf(stock)} below ${labelOf(threshold).toLowerCase()}`}>
      <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {low.rows.map((row) => (
          <Box component="li" key={String(row.id)} sx={{ display: 'flex', gap: 1, py: 0.5 }}>
            <Link component={RouterLink} to={itemPath(row.id)} underline="hover" sx={{ flex: 1 }}>
              {titleOf(row)}
            </Link>
            <Typography variant="body2" sx={{ color: 'text.secondary', whiteSpace: 'nowrap' }}>
              {row[stock.name]} of {row[threshold.name]}
            </Typography>
          </Box>
        ))}
      </Box>
      <Button component={RouterLink} to={listLink(low.where)} size="small" sx={{ mt: 1 }}>
        Show all {low.count}
      </Button>
    </Panel>
  );
}
