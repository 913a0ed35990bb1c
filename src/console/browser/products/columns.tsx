/** Which columns are shown: a choice that is kept, for wide and narrow screens apart. */
import Checked from '@mui/icons-material/CheckBox';
import Unchecked from '@mui/icons-material/CheckBoxOutlineBlank';
import ViewWeek from '@mui/icons-material/ViewWeek';
import { Button, Menu, MenuItem, useMediaQuery } from '@mui/material';
import { useMemo, useState } from 'react';
import { useStore } from 'react-admin';
import type { Field } from '../../../collection/declaration.ts';
import { collectionName, fields, key, labelOf } from '../shared/collection.ts';
import { gridWidth, NARROW_SCREEN } from './grid-style.ts';

const ICON = { fontSize: 'small', sx: { mr: 1 } } as const;

interface Columns {
  readonly shown: readonly Field[];
  readonly toggle: (field: Field) => void;
}

/** What each width of the screen begins with; the rest is a choice of columns away, and the choice is kept for each. */
const NARROW: readonly string[] = fields.filter(({ role }) => role !== 'title' && role !== 'price').map(namesOf);
/** The menu, and the margins. */
const BESIDE_THE_GRID = 220;
const NONE: readonly string[] = [];

function namesOf({ name }: Field): string {
  return name;
}

/** The columns for which so many pixels have no room: those that mean nothing in particular go first, the last of them before. */
function beyond(room: number): readonly string[] {
  const byWeight = [...fields].sort((one, other) => weight(other) - weight(one));
  const shown: Field[] = [];
  for (const field of byWeight) if (shown.length === 0 || gridWidth([...shown, field]) <= room) shown.push(field);
  return fields.filter((field) => !shown.includes(field)).map(namesOf);
}

function weight(field: Field): number {
  if (field === key || field.role === 'title') return 2;
  return field.role === undefined ? 0 : 1;
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
  return {
    shown: fields.filter(({ name }) => !hidden.includes(name)),
    toggle: ({ name }) => setHidden(hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name]),
  };
}

export function ColumnsButton() {
  const { shown, toggle } = useColumns();
  const [anchor, setAnchor] = useState<HTMLElement>();
  return (
    <>
      <Button
        size="small"
        startIcon={<ViewWeek />}
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        Columns
      </Button>
      {anchor !== undefined && (
        <Menu open anchorEl={anchor} onClose={() => setAnchor(undefined)}>
          {fields.map((field) => {
            const isShown = shown.includes(field);
            return (
              <MenuItem
                key={field.name}
                role="menuitemcheckbox"
                aria-checked={isShown}
                // One column is always left: a grid without any could not be told from an empty one.
                disabled={isShown && shown.length === 1}
                onClick={() => toggle(field)}
                dense
              >
                {isShown ? <Checked {...ICON} color="primary" /> : <Unchecked {...ICON} />}
                {labelOf(field)}
              </MenuItem>
            );
          })}
        </Menu>
      )}
    </>
  );
}
