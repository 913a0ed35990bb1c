/** The dialog that changes one field of all selected rows: sets a value, clears it, or calculates a number. */
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
import type { Field } from '../../../../collection/declaration.ts';
import type { Value } from '../../../../collection/value.ts';
import { fieldNamed, fields, helpTextOf, key, labelOf, titleField } from '../../shared/api/collection.ts';
import { mayWrite } from '../../shared/api/rights.ts';
import { ProblemInPlace } from '../../shared/page/problem.tsx';
import { isUndoable, type RowChange, type Target } from '../../shared/undo/bulk.ts';
import { isCalculable } from '../../shared/values/arithmetic.ts';
import { readNumber } from '../../shared/values/numbers.ts';
import { readEntered } from '../../shared/values/values.ts';
import { ValueInput } from '../form/value-input.tsx';
import { CalculationPreview, useCalculation } from './bulk-numbers.tsx';

/** Titles are excluded, since they identify one row. */
export const BULK_FIELDS = fields.filter((field) => field !== key && field !== titleField && mayWrite(field, false));

interface BulkEditDialogProps {
  readonly what: string;
  readonly target: Target;
  readonly apply: (field: Field, value: Value) => Promise<void>;
  readonly applyEach: (field: Field, changes: readonly RowChange[]) => Promise<void>;
  readonly close: () => void;
}

/** Ways to enter the new value. */
const WAYS = {
  set: 'Set to',
  add: 'Add (a negative number subtracts)',
  percent: 'Raise by % (a negative number lowers)',
};
type Way = keyof typeof WAYS;

export function BulkEditDialog({ what, target: asked, apply, applyEach, close }: BulkEditDialogProps) {
  // The selection at the time the dialog opened.
  const [target] = useState(asked);
  const [name, setName] = useState(BULK_FIELDS[0]!.name);
  const [typed, setTyped] = useState('');
  const [isEmptied, setEmptied] = useState(false);
  const [fault, setFault] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [way, setWay] = useState<Way>('set');
  const field = fieldNamed(name)!;
  const mayCalculate = isCalculable(field) && isUndoable(target);
  const operation = mayCalculate && way !== 'set' ? way : undefined;
  const { calculation, error: readError } = useCalculation(target, field, operation, typed);
  const begin = (next: string) => {
    setName(next);
    setTyped('');
    setEmptied(false);
    setFault(undefined);
    setWay('set');
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (operation !== undefined && readNumber(typed) === undefined) return setFault(`“${typed}” is not a number.`);
    const entered = isEmptied ? { value: null } : operation === undefined ? readEntered(field, typed) : undefined;
    if (entered !== undefined && 'problem' in entered) return setFault(entered.problem);
    setBusy(true);
    try {
      if (entered !== undefined) await apply(field, entered.value);
      else await applyEach(field, calculation?.changes ?? []);
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  const isNothingToDo =
    operation === undefined ? typed.trim() === '' && !isEmptied : (calculation?.changes.length ?? 0) === 0;
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
            helperText={helpTextOf(field)}
          >
            {BULK_FIELDS.map((each) => (
              <MenuItem key={each.name} value={each.name}>
                {labelOf(each)}
              </MenuItem>
            ))}
          </TextField>
          {mayCalculate && (
            <TextField select label="How" value={way} onChange={(event) => setWay(event.target.value as Way)}>
              {Object.entries(WAYS).map(([each, label]) => (
                <MenuItem key={each} value={each}>
                  {label}
                </MenuItem>
              ))}
            </TextField>
          )}
          <ValueInput
            key={name}
            field={field}
            label={operation === undefined ? 'New value' : operation === 'add' ? 'Amount' : 'Percent'}
            text={typed}
            onChange={(text) => {
              setTyped(text);
              setFault(undefined);
            }}
            disabled={isEmptied}
            problem={fault}
          />
          {operation !== undefined && calculation !== undefined && (
            <CalculationPreview field={field} calculation={calculation} />
          )}
          {operation !== undefined && readError !== undefined && <ProblemInPlace error={readError} />}
          {!field.required && operation === undefined && (
            <FormControlLabel
              control={<Checkbox checked={isEmptied} onChange={(_event, isOn) => setEmptied(isOn)} />}
              label="Clear this field"
            />
          )}
          {!isUndoable(target) && (
            <DialogContentText>This cannot be undone, because there are too many rows.</DialogContentText>
          )}
          {error !== undefined && <ProblemInPlace error={error} />}
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="contained" disabled={isBusy || isNothingToDo}>
            Change all
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
