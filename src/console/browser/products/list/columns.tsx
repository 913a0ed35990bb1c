/** The choice of columns, stored separately for wide and narrow screens, with their order and width. */
import Checked from '@mui/icons-material/CheckBox';
import Unchecked from '@mui/icons-material/CheckBoxOutlineBlank';
import { Divider, Menu, MenuItem, useMediaQuery } from '@mui/material';
import { Suspense, useMemo, useState } from 'react';
import { useStore } from 'react-admin';
import type { Field } from '../../../../collection/declaration.ts';
import { collectionName, fields, key, labelOf, titleField } from '../../shared/api/collection.ts';
import { Icon } from '../../shared/page/icon.tsx';
import { lazyPart } from '../../shared/page/page-boundary.tsx';
import { columnWidth, gridWidth, NARROW_SCREEN } from './grid-style.ts';

const ICON = { fontSize: 'small', sx: { mr: 1 } } as const;

interface Columns {
  readonly shown: readonly Field[];
  /** All columns, in order. */
  readonly ordered: readonly Field[];
  readonly widthOf: (field: Field) => number;
  readonly toggle: (field: Field) => void;
  readonly move: (field: Field, by: -1 | 1) => void;
  readonly resize: (field: Field, width: number) => void;
  readonly reset: () => void;
}

const NARROWEST = 40;
const WIDEST = 800;
const NO_WIDTHS: Readonly<Record<string, number>> = {};

/** Default columns per screen width. */
const NARROW: readonly string[] = fields.filter((field) => field !== titleField && field.role !== 'price').map(namesOf);
/** Width of the menu and margins. */
const BESIDE_THE_GRID = 220;
const NONE: readonly string[] = [];

function namesOf({ name }: Field): string {
  return name;
}

/** Columns that do not fit into this width. Fields without a role are dropped first, from the last to the first. */
function beyond(room: number): readonly string[] {
  const byWeight = [...fields].sort((one, other) => weight(other) - weight(one));
  const shown: Field[] = [];
  for (const field of byWeight) if (shown.length === 0 || gridWidth([...shown, field]) <= room) shown.push(field);
  return fields.filter((field) => !shown.includes(field)).map(namesOf);
}

function weight(field: Field): number {
  if (field === key || field === titleField) return 2;
  return field.role === undefined ? 0 : 1;
}

/** Fields that were added after the order was stored come last. */
function inOrder(order: readonly string[]): readonly Field[] {
  const place = ({ name }: Field) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...fields].sort((one, other) => place(one) - place(other));
}

export function useColumns(): Columns {
  const isNarrow = useMediaQuery(`(max-width: ${NARROW_SCREEN}px)`, { noSsr: true });
  const isMedium = useMediaQuery('(max-width: 1199px)', { noSsr: true });
  const width = isNarrow ? 'narrow' : isMedium ? 'medium' : 'wide';
  const begun = useMemo(() => {
    if (width === 'wide') return NONE;
    if (width === 'narrow' && NARROW.length < fields.length) return NARROW;
    return beyond(window.innerWidth - (width === 'narrow' ? 0 : BESIDE_THE_GRID));
  }, [width]);
  const [hidden, setHidden] = useStore<readonly string[]>(`${collectionName}.grid.${width}`, begun);
  const [order, setOrder] = useStore<readonly string[]>(`${collectionName}.grid.order`, NONE);
  const [widths, setWidths] = useStore(`${collectionName}.grid.widths`, NO_WIDTHS);
  const ordered = useMemo(() => inOrder(order), [order]);
  const shown = useMemo(() => ordered.filter(({ name }) => !hidden.includes(name)), [ordered, hidden]);
  return {
    shown,
    ordered,
    widthOf: (field) => widths[field.name] ?? columnWidth(field),
    move: (field, by) => {
      const neighbour = shown[shown.indexOf(field) + by];
      if (neighbour === undefined) return;
      const names = ordered.map(namesOf);
      setOrder(names.toSpliced(ordered.indexOf(field), 1).toSpliced(ordered.indexOf(neighbour), 0, field.name));
    },
    resize: ({ name }, width) =>
      setWidths({ ...widths, [name]: Math.min(WIDEST, Math.max(NARROWEST, Math.round(width))) }),
    reset: () => {
      setOrder(NONE);
      setWidths(NO_WIDTHS);
    },
    toggle: ({ name }) => setHidden(hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name]),
  };
}

/** Loaded on demand. */
const ArrangeDialog = lazyPart(async () => (await import('./arrange-dialog.tsx')).ArrangeDialog);

export function ColumnsButton() {
  const { shown, ordered, toggle } = useColumns();
  const [isArranging, setArranging] = useState(false);
  const [anchor, setAnchor] = useState<HTMLElement>();
  return (
    <>
      <button type="button" className="button" aria-haspopup="menu" onClick={(event) => setAnchor(event.currentTarget)}>
        <Icon name="columns" />
        Columns
      </button>
      {anchor !== undefined && (
        <Menu open anchorEl={anchor} onClose={() => setAnchor(undefined)}>
          {ordered.map((field) => {
            const isShown = shown.includes(field);
            return (
              <MenuItem
                key={field.name}
                role="menuitemcheckbox"
                aria-checked={isShown}
                // One column always stays, since a grid without columns would look empty.
                disabled={isShown && shown.length === 1}
                onClick={() => toggle(field)}
                dense
              >
                {isShown ? <Checked {...ICON} color="primary" /> : <Unchecked {...ICON} />}
                {labelOf(field)}
              </MenuItem>
            );
          })}
          <Divider />
          <MenuItem
            dense
            onClick={() => {
              setAnchor(undefined);
              setArranging(true);
            }}
          >
            Order and width…
          </MenuItem>
        </Menu>
      )}
      {isArranging && (
        <Suspense>
          <ArrangeDialog close={() => setArranging(false)} />
        </Suspense>
      )}
    </>
  );
}
