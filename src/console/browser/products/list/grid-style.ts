/** Styles of the grid, as one rule set on the table. Styles per cell would render slower. */
import type { SxProps, Theme } from '@mui/material';
import type { Field } from '../../../../collection/declaration.ts';
import { BAR_HEIGHT } from '../../layout-style.ts';
import { isDecimal, isNumeric, isText, key, labelOf, titleField } from '../../shared/api/collection.ts';
import { isReference, isYesNo } from '../../shared/values/values.ts';

/** Numbers are right-aligned. */
export function columnClass(field: Field): string {
  if (!isNumeric(field) || isReference(field)) return `column-${field.name} text`;
  return field.role === 'flag' ? `column-${field.name}` : `column-${field.name} right`;
}

/** Column width by type. It does not depend on the content or on editing. */
export function columnWidth(field: Field): number {
  const longestWord = Math.max(
    ...labelOf(field)
      .split(' ')
      .map((word) => word.length),
  );
  return Math.max(longestWord * 8 + 18, widthOfValues(field));
}

/** Room for ten digits. */
const isShort = ({ type }: Field): boolean => typeof type.schema.maximum === 'number';

/** A phone or an enlarged screen. */
export const NARROW_SCREEN = 700;

function widthOfValues(field: Field): number {
  if (field === titleField) return window.innerWidth > NARROW_SCREEN ? 190 : 140;
  if (field === key) return isNumeric(field) ? 56 : 120;
  if (isYesNo(field)) return 76;
  if (isReference(field)) return 130;
  if (field.type.input === 'datetime') return 170;
  if (isNumeric(field)) return isDecimal(field) ? 84 : isShort(field) ? 66 : 130;
  return isText(field) ? 110 : 130;
}

/** Width of the checkbox and button columns. */
export const TICK_WIDTH = 44;
export const BUTTONS_WIDTH = 72;

export function gridWidth(columns: readonly Field[], widthOf: (field: Field) => number = columnWidth): number {
  return columns.reduce((sum, field) => sum + widthOf(field), TICK_WIDTH + BUTTONS_WIDTH);
}

const QUIET_BUTTON = {
  border: 0,
  background: 'none',
  color: 'inherit',
  font: 'inherit',
  cursor: 'pointer',
};

/** Flattens a translucent colour onto an opaque one. */
const overlay = (color: string) => `linear-gradient(${color} 0 0)`;

export const gridStyle: SxProps<Theme> = (theme) => ({
  // Visually hidden elements must not extend the table.
  position: 'relative',
  '&.wider': { overflow: 'auto', maxHeight: 'max(320px, calc(100vh - 120px))' },
  '& table': { width: '100%', tableLayout: 'fixed', borderCollapse: 'collapse' },
  '& th, & td': {
    ...theme.typography.body2,
    lineHeight: 1.25,
    textAlign: 'left',
    px: 1,
    py: 0.25,
    borderBottom: 1,
    borderColor: 'divider',
  },
  '& th': {
    fontWeight: 600,
    py: 0.75,
    verticalAlign: 'bottom',
    position: 'sticky',
    top: BAR_HEIGHT,
    zIndex: 2,
    backgroundColor: 'background.paper',
    // Collapsed borders would scroll away with the rows.
    boxShadow: `inset 0 -1px ${theme.palette.divider}`,
  },
  '&.wider th': { top: 0 },
  '& th button': { ...QUIET_BUTTON, p: 0.5, m: -0.5, borderRadius: 1, textAlign: 'inherit' },
  '& th.right, & td.right': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& tbody tr:last-of-type td': { borderBottom: 0 },
  '& tbody tr:hover': { backgroundColor: 'action.hover' },
  '& tbody tr.selected': { backgroundColor: 'action.selected' },
  '& .select': { width: 40, pl: 1.5, pr: 0 },
  '& .select input': { display: 'block', width: 18, height: 18, m: '5px', accentColor: theme.palette.primary.main },
  // Long texts show two lines, and the whole text on hover.
  '& .value': {
    overflow: 'hidden',
    overflowWrap: 'anywhere',
    display: '-webkit-box',
    WebkitBoxOrient: 'vertical',
    WebkitLineClamp: 2,
  },
  // Never truncate a number: it would look like a different one.
  '& .right .value': { display: 'block' },
  '& tr.new': { boxShadow: `inset 4px 0 ${theme.palette.primary.main}` },
  '& td.refused': { px: 1, py: 0.5, position: 'static', textAlign: 'left' },
  '& .tag': { display: 'inline-block', px: '6px', mr: '4px', borderRadius: '8px', backgroundColor: 'action.selected' },
  '& .picture': { display: 'block', maxHeight: 36, maxWidth: '100%' },
  '& .cell': {
    font: 'inherit',
    color: 'inherit',
    textAlign: 'inherit',
    width: '100%',
    boxSizing: 'border-box',
    px: '6px',
    py: '4px',
    border: `1px solid ${theme.palette.text.secondary}`,
    borderRadius: '4px',
    backgroundColor: 'background.paper',
  },
  '& .cell:focus': { outline: `2px solid ${theme.palette.primary.main}`, outlineOffset: '1px' },
  '& input.cell[aria-invalid]': { borderColor: 'error.main', borderWidth: 2 },
  '& a:focus-visible, & button:focus-visible, & input[type=checkbox]:focus-visible': {
    outline: `2px solid ${theme.palette.primary.main}`,
    outlineOffset: '2px',
  },
  '& td a': {
    color: 'primary.main',
    fontWeight: 600,
    textDecoration: 'none',
    '&:hover, &:focus-visible': { textDecoration: 'underline' },
  },
  // The buttons stay visible while the row scrolls sideways.
  '& tr > :last-child': { position: 'sticky', right: 0, pl: 0, backgroundColor: 'background.paper' },
  '& th:last-child': { zIndex: 3 },
  '& tbody tr:hover > :last-child': { backgroundImage: overlay(theme.palette.action.hover) },
  '& tbody tr.selected > :last-child': { backgroundImage: overlay(theme.palette.action.selected) },
  '& .actions': { display: 'flex', justifyContent: 'flex-end' },
  '& .actions button': {
    ...QUIET_BUTTON,
    display: 'inline-flex',
    p: '5px',
    borderRadius: '50%',
    color: 'text.secondary',
  },
  '& button:hover, & button:focus-visible': { backgroundColor: 'action.hover', color: 'text.primary' },
});

export const selectionBarStyle: SxProps<Theme> = (theme) => ({
  ...theme.typography.body2,
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  columnGap: 1,
  px: 1,
  py: 0.5,
  backgroundColor: 'action.selected',
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
