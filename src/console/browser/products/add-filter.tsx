/** A new condition: any field, any operator that serves its type, and a value. */
import { Box, Button, Checkbox, FormControlLabel, MenuItem, Popover, TextField } from '@mui/material';
import { type FormEvent, useState } from 'react';
import type { Field } from '../../../collection/declaration.ts';
import { OPERATORS, type OperatorName, type OperatorRules, servesType } from '../../../dialect/operators.ts';
import { IS_VALUES } from '../../../dialect/tree.ts';
import { fieldNamed, fields, labelOf } from '../shared/collection.ts';
import type { Chip } from '../shared/query.ts';

interface AddFilterProps {
  readonly anchor: HTMLElement;
  readonly add: (chip: Chip) => void;
  readonly close: () => void;
}

export function AddFilter({ anchor, add, close }: AddFilterProps) {
  const first = fields.find((field) => field.role === 'title') ?? fields[0]!;
  const [name, setName] = useState(first.name);
  const field = fieldNamed(name) ?? first;
  const operators = operatorsFor(field);
  const [chosen, setChosen] = useState<OperatorName>('eq');
  const operator = operators.includes(chosen) ? chosen : operators[0]!;
  const rules: OperatorRules = OPERATORS[operator];
  const [not, setNot] = useState(false);
  const [typed, setTyped] = useState('');
  const value = rules.form === 'keyword' && !isKeyword(typed) ? 'null' : typed;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    add({ field: name, operator, value, ...(not ? { not } : {}) });
  };

  return (
    <Popover
      open
      anchorEl={anchor}
      onClose={close}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
      slotProps={{ paper: { role: 'dialog', 'aria-label': 'Add a filter' } }}
    >
      <Box component="form" onSubmit={submit} sx={{ p: 2, display: 'grid', gap: 1.5, width: 340, maxWidth: '90vw' }}>
        <TextField select label="Field" size="small" value={name} onChange={(event) => setName(event.target.value)}>
          {fields.map((each) => (
            <MenuItem key={each.name} value={each.name}>
              {labelOf(each)}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          select
          label="Operator"
          size="small"
          value={operator}
          onChange={(event) => setChosen(event.target.value as OperatorName)}
        >
          {operators.map((each) => (
            <MenuItem key={each} value={each} sx={{ whiteSpace: 'normal' }}>
              {OPERATORS[each].meaning} ({each})
            </MenuItem>
          ))}
        </TextField>
        <ValueInput form={rules.form} value={value} onChange={setTyped} />
        <FormControlLabel
          control={<Checkbox checked={not} onChange={(_event, isOn) => setNot(isOn)} />}
          label="Turn around (not)"
        />
        <Box sx={{ display: 'flex', justifyContent: 'flex-end', gap: 1 }}>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="contained">
            Add
          </Button>
        </Box>
      </Box>
    </Popover>
  );
}

interface ValueInputProps {
  readonly form: OperatorRules['form'];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ValueInput({ form, value, onChange }: ValueInputProps) {
  if (form === 'keyword') {
    return (
      <TextField select label="Value" size="small" value={value} onChange={(event) => onChange(event.target.value)}>
        {IS_VALUES.map((each) => (
          <MenuItem key={each} value={each}>
            {each.replace('_', ' ')}
          </MenuItem>
        ))}
      </TextField>
    );
  }
  return (
    <TextField
      label={form === 'list' ? 'Values, separated by commas' : 'Value'}
      size="small"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      autoComplete="off"
    />
  );
}

/** Those that serve the type; the words true and false are for the service to refuse where they make no sense. */
function operatorsFor(field: Field): readonly OperatorName[] {
  return (Object.keys(OPERATORS) as OperatorName[]).filter((name) =>
    servesType(OPERATORS[name] as OperatorRules, field.type),
  );
}

function isKeyword(text: string): boolean {
  return (IS_VALUES as readonly string[]).includes(text);
}
