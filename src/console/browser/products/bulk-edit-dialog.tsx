/** One field, one new value, for every row of the selection. To empty a field is a choice of its own. */
import {
  Button,
  Checkbox,
  Dialog,
  DialogActions,
  DialogContent,
  DialogContentText,
  DialogTitle,
  FormControlLabel,
  MenuItem,
  TextField,
} from '@mui/material';
import { type FormEvent, useState } from 'react';
import type { Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { describes, fieldNamed, fields, isWritable, key, labelOf } from '../shared/collection.ts';
import { ProblemInPlace } from '../shared/problem.tsx';
import { readEntered } from '../shared/values.ts';
import { ValueInput } from './value-input.tsx';

interface BulkEditDialogProps {
  readonly what: string;
  readonly isUndoable: boolean;
  readonly apply: (field: Field, value: Value) => Promise<void>;
  readonly close: () => void;
}

export function BulkEditDialog({ what, isUndoable, apply, close }: BulkEditDialogProps) {
  const choices = fields.filter((field) => field !== key && field.role !== 'title' && isWritable(field));
  const [name, setName] = useState(choices[0]!.name);
  const [typed, setTyped] = useState('');
  const [isEmptied, setEmptied] = useState(false);
  const [fault, setFault] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const field = fieldNamed(name)!;
  const begin = (next: string) => {
    setName(next);
    setTyped('');
    setEmptied(false);
    setFault(undefined);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const entered = isEmptied ? { value: null } : readEntered(field, typed);
    if ('problem' in entered) return setFault(entered.problem);
    setBusy(true);
    try {
      await apply(field, entered.value);
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={close} fullWidth maxWidth="xs" aria-labelledby="bulk-title">
      <form onSubmit={(event) => void submit(event)} noValidate>
        <DialogTitle id="bulk-title">Change {what}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          <TextField
            select
            label="Field"
            value={name}
            onChange={(event) => begin(event.target.value)}
            sx={{ mt: 1 }}
            helperText={describes(field)}
          >
            {choices.map((each) => (
              <MenuItem key={each.name} value={each.name}>
                {labelOf(each)}
              </MenuItem>
            ))}
          </TextField>
          <ValueInput
            field={field}
            label="New value"
            text={typed}
            onChange={(text) => {
              setTyped(text);
              setFault(undefined);
            }}
            disabled={isEmptied}
            problem={fault}
          />
          {!field.required && (
            <FormControlLabel
              control={<Checkbox checked={isEmptied} onChange={(_event, isOn) => setEmptied(isOn)} />}
              label="Empty this field"
            />
          )}
          {!isUndoable && (
            <DialogContentText>There are too many to remember what they were: this cannot be undone.</DialogContentText>
          )}
          {error !== undefined && <ProblemInPlace error={error} />}
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="contained" disabled={isBusy || (typed.trim() === '' && !isEmptied)}>
            Change all
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
