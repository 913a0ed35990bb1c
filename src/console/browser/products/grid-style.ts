/** How the grid looks: one set of rules on the table, instead of styles that are worked out for every cell. */
import type { SxProps, Theme } from '@mui/material';
import type { Field } from '../../../collection/declaration.ts';
import { fieldWith, isNumeric } from '../shared/collection.ts';

/** Numbers stand at the right, and text has room. */
export function columnClass(field: Field): string {
  if (!isNumeric(field)) return `column-${field.name} text`;
  return field.role === 'flag' ? `column-${field.name}` : `column-${field.name} right`;
}

const QUIET_BUTTON = {
  border: 0,
  background: 'none',
  color: 'inherit',
  font: 'inherit',
  cursor: 'pointer',
};

/** A colour that lets through what is below it, over one that does not. */
const overlay = (color: string) => `linear-gradient(${color} 0 0)`;

export const gridStyle: SxProps<Theme> = (theme) => ({
  // What is hidden from view stays inside too.
  position: 'relative',
  overflowX: 'auto',
  '& table': { width: '100%', borderCollapse: 'collapse' },
  '& th, & td': {
    ...theme.typography.body2,
    lineHeight: 1.25,
    textAlign: 'left',
    px: 1,
    py: 0.25,
    borderBottom: 1,
    borderColor: 'divider',
  },
  '& th': { fontWeight: 600, py: 0.75, verticalAlign: 'bottom' },
  '& th button': { ...QUIET_BUTTON, p: 0.5, m: -0.5, borderRadius: 1, textAlign: 'inherit' },
  '& th.right, & td.right': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& tbody tr:last-of-type td': { borderBottom: 0 },
  '& tbody tr:hover': { backgroundColor: 'action.hover' },
  '& tbody tr.selected': { backgroundColor: 'action.selected' },
  '& .select': { width: 40, pl: 1.5, pr: 0 },
  '& .select input': { display: 'block', width: 18, height: 18, m: '7px', accentColor: theme.palette.primary.main },
  '& td.text': { minWidth: 130 },
  [`& .column-${fieldWith('title')?.name}`]: { minWidth: 180 },
  '& td a': {
    color: 'primary.main',
    fontWeight: 600,
    textDecoration: 'none',
    '&:hover, &:focus-visible': { textDecoration: 'underline' },
  },
  // Whatever else is scrolled out of sight, saving is not.
  '& tr > :last-child': { position: 'sticky', right: 0, pl: 0, backgroundColor: 'background.paper' },
  '& tbody tr:hover > :last-child': { backgroundImage: overlay(theme.palette.action.hover) },
  '& tbody tr.selected > :last-child': { backgroundImage: overlay(theme.palette.action.selected) },
  '& .actions': { display: 'flex', justifyContent: 'flex-end' },
  '& .actions button': {
    ...QUIET_BUTTON,
    display: 'inline-flex',
    p: '6px',
    borderRadius: '50%',
    color: 'text.secondary',
  },
  '& button:hover, & button:focus-visible': { backgroundColor: 'action.hover', color: 'text.primary' },
});

export const pagerStyle: SxProps<Theme> = (theme) => ({
  ...theme.typography.body2,
  display: 'flex',
  flexWrap: 'wrap',
  justifyContent: 'flex-end',
  alignItems: 'center',
  columnGap: 3,
  rowGap: 1,
  p: 1,
  color: 'text.secondary',
  '& select': { font: 'inherit', color: 'text.primary', background: 'none', border: 0, borderRadius: 1, p: 0.5 },
  '& option': { color: 'text.primary', backgroundColor: 'background.paper' },
  '& button': { ...QUIET_BUTTON, minWidth: 32, height: 32, borderRadius: 4 },
  '& button:hover, & button:focus-visible': { backgroundColor: 'action.hover' },
  '& button:disabled': { opacity: 0.4, cursor: 'default', background: 'none' },
  '& button[aria-current]': { backgroundColor: 'action.selected', color: 'text.primary', fontWeight: 600 },
});
