/** The dialog after a 412: both versions side by side, and a choice for every field that differs. */
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
import type { Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { fields, formatValue, labelOf, titleOf } from '../shared/collection.ts';
import { type Conflict, type Decision, onConflict } from '../shared/conflict.ts';

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
  const { mine, base, theirs } = conflict;
  const concerned = fields.filter(({ name }) => Object.hasOwn(mine, name) || base[name] !== theirs[name]);
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>(() =>
    Object.fromEntries(concerned.map(({ name }) => [name, Object.hasOwn(mine, name) ? 'mine' : 'theirs'])),
  );
  const chosen = concerned.filter(({ name }) => sides[name] === 'mine' && myValue(name) !== theirs[name]);
  function myValue(name: string): Value {
    return (Object.hasOwn(mine, name) ? mine[name] : base[name]) as Value;
  }
  return (
    <Dialog open fullWidth maxWidth="md" aria-labelledby="conflict-title" onClose={() => close(undefined)}>
      <DialogTitle id="conflict-title">Someone else changed {titleOf(theirs)}</DialogTitle>
      <DialogContent>
        <DialogContentText>
          It was changed after you opened it, and nothing of yours is stored yet. Choose for each field which version to
          keep.
        </DialogContentText>
        <Table size="small" sx={{ mt: 2 }}>
          <TableHead>
            <TableRow>
              <TableCell>Field</TableCell>
              <TableCell>When you opened it</TableCell>
              <TableCell>Yours and theirs</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {concerned.map((field) => (
              <TableRow key={field.name}>
                <TableCell component="th" scope="row">
                  {labelOf(field)}
                </TableCell>
                <TableCell>{formatValue(field, base[field.name])}</TableCell>
                <TableCell>
                  <Choice
                    field={field}
                    mine={myValue(field.name)}
                    theirs={theirs[field.name] ?? null}
                    side={sides[field.name] ?? 'theirs'}
                    choose={(side) => setSides({ ...sides, [field.name]: side })}
                  />
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </DialogContent>
      <DialogActions>
        <Button onClick={() => close(undefined)}>Keep theirs</Button>
        <Button
          variant="contained"
          onClick={() => close(Object.fromEntries(chosen.map(({ name }) => [name, myValue(name)])))}
        >
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
