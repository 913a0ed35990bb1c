/** Which columns are shown: a choice that is kept, for wide and narrow screens apart. */
import Checked from '@mui/icons-material/CheckBox';
import Unchecked from '@mui/icons-material/CheckBoxOutlineBlank';
import ViewWeek from '@mui/icons-material/ViewWeek';
import { Button, Menu, MenuItem, useMediaQuery } from '@mui/material';
import { useState } from 'react';
import { useStore } from 'react-admin';
import type { Field } from '../../../collection/declaration.ts';
import { collectionName, fields, labelOf } from '../shared/collection.ts';

const ICON = { fontSize: 'small', sx: { mr: 1 } } as const;

interface Columns {
  readonly shown: readonly Field[];
  readonly toggle: (field: Field) => void;
}

const NONE: readonly string[] = [];
/** A narrow screen begins with what identifies a row and what it costs; the rest is a choice of columns away. */
const HIDDEN_WHERE_NARROW = fields.filter(({ role }) => role !== 'title' && role !== 'price').map(({ name }) => name);

export function useColumns(): Columns {
  const isNarrow = useMediaQuery('(max-width: 700px)', { noSsr: true });
  const [hidden, setHidden] = useStore<readonly string[]>(
    `${collectionName}.${isNarrow ? 'grid.narrow' : 'grid.wide'}`,
    isNarrow ? HIDDEN_WHERE_NARROW : NONE,
  );
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
