/**
 * Shows both versions and asks which to keep, for every field that both people changed. Escape goes back to editing.
 */
import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  FormControlLabel,
  Radio,
  RadioGroup,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
} from '@mui/material';
import { useEffect, useState } from 'react';
import type { Field } from '../../../../collection/declaration.ts';
import type { Value } from '../../../../collection/value.ts';
import type { Changes } from '../../shared/api/api.ts';
import { fields, labelOf, titleOf } from '../../shared/api/collection.ts';
import { type Conflict, type Decision, onConflict } from '../../shared/api/conflict.ts';
import { isSame } from '../../shared/values/same.ts';
import { formatValue } from '../../shared/values/values.ts';

type Side = 'mine' | 'theirs';

export function ConflictDialog() {
  const [open, setOpen] = useState<{ conflict: Conflict; decide: (decision: Decision) => void }>();
  useEffect(() => onConflict((conflict, decide) => setOpen({ conflict, decide })), []);
  if (open === undefined) return null;
  const close = (decision: Decision) => {
    open.decide(decision);
    setOpen(undefined);
  };
  return <Choices key={open.conflict.id} conflict={open.conflict} close={close} />;
}

function Choices({ conflict, close }: { readonly conflict: Conflict; readonly close: (decision: Decision) => void }) {
  const { mine, base, theirs, disputed } = conflict;
  const asked = fields.filter(({ name }) => disputed.includes(name));
  const others = fields.filter(({ name }) => !disputed.includes(name) && !isSame(base[name], theirs[name]));
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({});
  const sideOf = (name: string) => sides[name] ?? 'mine';
  /** Fields that nobody else changed are saved in any case. */
  const chosen = (isKept: (name: string) => boolean): Changes =>
    Object.fromEntries(Object.entries(mine).filter(([name]) => !disputed.includes(name) || isKept(name)));
  return (
    <Dialog open fullWidth maxWidth="md" aria-labelledby="conflict-title" onClose={() => close(undefined)}>
      <DialogTitle id="conflict-title" sx={{ overflowWrap: 'anywhere' }}>
        Someone else changed {titleOf(theirs)}
      </DialogTitle>
      <DialogContent>
        <DialogContentText>
          You both changed the same fields. Your changes are not saved yet. Choose which values to keep.
        </DialogContentText>
        <Table
          size="small"
          sx={{ mt: 2, '& td': { overflowWrap: 'anywhere' }, '& td, & th': { px: { xs: 0.5, sm: 2 } } }}
        >
          <TableHead>
            <TableRow>
              <TableCell>Field</TableCell>
              <TableCell>Before</TableCell>
              <TableCell>Yours and theirs</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {asked.map((field) => (
              <TableRow key={field.name}>
                <TableCell component="th" scope="row">
                  {labelOf(field)}
                </TableCell>
                <TableCell>{formatValue(field, base[field.name])}</TableCell>
                <TableCell>
                  <Choice
                    field={field}
                    mine={mine[field.name] as Value}
                    theirs={theirs[field.name] ?? null}
                    side={sideOf(field.name)}
                    choose={(side) => setSides({ ...sides, [field.name]: side })}
                  />
                </TableCell>
              </TableRow>
            ))}
            {others.map((field) => (
              <TableRow key={field.name}>
                <TableCell component="th" scope="row">
                  {labelOf(field)}
                </TableCell>
                <TableCell>{formatValue(field, base[field.name])}</TableCell>
                <TableCell>Theirs: {formatValue(field, theirs[field.name])} (kept)</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap', rowGap: 1 }}>
        <Button onClick={() => close(undefined)}>Back to editing</Button>
        <Button onClick={() => close(chosen(() => false))}>Keep theirs</Button>
        <Button variant="contained" onClick={() => close(chosen((name) => sideOf(name) === 'mine'))}>
          Save what I chose
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly field: Field;
  readonly mine: Value;
  readonly theirs: Value;
  readonly side: Side;
  readonly choose: (side: Side) => void;
}

function Choice({ field, mine, theirs, side, choose }: ChoiceProps) {
  return (
    <RadioGroup row aria-label={labelOf(field)} value={side} onChange={(event) => choose(event.target.value as Side)}>
      <FormControlLabel value="mine" control={<Radio size="small" />} label={`Yours: ${formatValue(field, mine)}`} />
      <FormControlLabel
        value="theirs"
        control={<Radio size="small" />}
        label={`Theirs: ${formatValue(field, theirs)}`}
      />
    </RadioGroup>
  );
}
