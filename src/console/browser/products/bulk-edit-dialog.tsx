/** One field, one new value, for every row of the selection. */
import { Button, Dialog, DialogActions, DialogContent, DialogTitle, MenuItem, TextField } from '@mui/material';
import { type ChangeEvent, type FormEvent, useState } from 'react';
import type { Field } from '../../../collection/declaration.ts';
import type { Changes } from '../shared/api.ts';
import { fieldNamed, fields, formatValue, isNumeric, isText, key, labelOf } from '../shared/collection.ts';
import { mayWrite } from '../shared/rights.ts';

/** A name is of one row only. */
export const CHANGEABLE = fields.filter((field) => field !== key && field.role !== 'title' && mayWrite(field, false));

interface BulkEditDialogProps {
  readonly what: string;
  readonly apply: (changes: Changes) => Promise<void>;
  readonly close: () => void;
}

export function BulkEditDialog({ what, apply, close }: BulkEditDialogProps) {
  const [name, setName] = useState(CHANGEABLE[0]!.name);
  const [value, setValue] = useState('');
  const field = fieldNamed(name)!;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void apply({ [name]: value === '' && !(field.required && isText(field)) ? null : value });
  };
  return (
    <Dialog open onClose={close} fullWidth maxWidth="xs" aria-labelledby="bulk-title">
      <form onSubmit={submit}>
        <DialogTitle id="bulk-title">Change {what}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          <TextField
            select
            label="Field"
            value={name}
            onChange={(event) => {
              setName(event.target.value);
              setValue('');
            }}
            sx={{ mt: 1 }}
            helperText={field.description}
          >
            {CHANGEABLE.map((each) => (
              <MenuItem key={each.name} value={each.name}>
                {labelOf(each)}
              </MenuItem>
            ))}
          </TextField>
          <ValueInput field={field} value={value} onChange={setValue} />
        </DialogContent>
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="contained" disabled={field.required === true && value === ''}>
            Change all
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface ValueInputProps {
  readonly field: Field;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ValueInput({ field, value, onChange }: ValueInputProps) {
  const common = {
    label: 'New value',
    value,
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange(event.target.value),
    helperText: field.required ? 'Required.' : 'Leave empty for none.',
  };
  if (field.role === 'flag') {
    return (
      <TextField {...common} select>
        {[0, 1].map((each) => (
          <MenuItem key={each} value={String(each)}>
            {formatValue(field, each)}
          </MenuItem>
        ))}
      </TextField>
    );
  }
  return (
    <TextField
      {...common}
      type={isNumeric(field) ? 'number' : 'text'}
      slotProps={{ htmlInput: { step: 'any' } }}
      autoFocus
    />
  );
}
