/** The dialog for a new or changed filter: field, condition and value. */
import { Box, Button, Checkbox, Divider, FormControlLabel, MenuItem, Popover, TextField } from '@mui/material';
import { type FormEvent, useState } from 'react';
import type { Field } from '../../../../collection/declaration.ts';
import { fieldNamed, fields, isText, labelOf, titleField } from '../../shared/api/collection.ts';
import type { Chip } from '../../shared/api/query.ts';
import { type Condition, conditionsFor, readChips } from '../../shared/values/conditions.ts';
import { inputModeOf, ValueInput } from '../form/value-input.tsx';

interface AddFilterProps {
  readonly anchor: HTMLElement;
  /** The initial filter. */
  readonly initial?: InitialFilter | undefined;
  readonly isChange?: boolean;
  readonly add: (chips: readonly Chip[]) => void;
  readonly close: () => void;
}

export interface InitialFilter {
  readonly field: Field;
  readonly condition: Condition;
  readonly typed?: string;
  readonly not?: boolean;
}

export function AddFilter({ anchor, initial, isChange = false, add, close }: AddFilterProps) {
  const first = initial?.field ?? titleField ?? fields[0]!;
  const [name, setName] = useState(first.name);
  const field = fieldNamed(name) ?? first;
  const conditions = conditionsFor(field);
  const [chosen, setChosen] = useState(initial?.condition.label ?? '');
  const condition = conditions.find(({ label }) => label === chosen) ?? conditions[0]!;
  const [not, setNot] = useState(initial?.not ?? false);
  const [typed, setTyped] = useState(initial?.typed ?? '');
  const [upTo, setUpTo] = useState('');
  const [problem, setProblem] = useState<string>();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readChips(field, condition, typed, upTo);
    if ('problem' in read) return setProblem(read.problem);
    add(read.chips.map((chip) => (not ? { ...chip, not } : chip)));
  };
  const choose = (next: string) => {
    setName(next);
    setTyped('');
    setProblem(undefined);
  };
  const type = (text: string) => {
    setTyped(text);
    setProblem(undefined);
  };

  return (
    <Popover
      open
      anchorEl={anchor}
      onClose={close}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'left' }}
      slotProps={{ paper: { role: 'dialog', 'aria-label': isChange ? 'Change the filter' : 'Add a filter' } }}
    >
      <Box
        component="form"
        onSubmit={submit}
        noValidate
        sx={{ p: 2, display: 'grid', gap: 1.5, width: 340, maxWidth: '90vw' }}
      >
        <TextField select label="Field" size="small" value={name} onChange={(event) => choose(event.target.value)}>
          {fields.map((each) => (
            <MenuItem key={each.name} value={each.name}>
              {labelOf(each)}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          select
          label="Condition"
          size="small"
          value={condition.label}
          onChange={(event) => setChosen(event.target.value)}
        >
          {conditions.flatMap((each, index) => [
            ...(index > 0 && each.isEveryday !== conditions[index - 1]!.isEveryday ? [<Divider key="rest" />] : []),
            <MenuItem key={each.label} value={each.label} sx={{ whiteSpace: 'normal' }}>
              {each.label}
            </MenuItem>,
          ])}
        </TextField>
        {condition.needs !== 'nothing' && <FilterValue key={name} {...{ condition, field, typed, type, problem }} />}
        {condition.needs === 'range' ? (
          <ValueInput field={field} label="To" text={upTo} onChange={setUpTo} isFirst={false} />
        ) : (
          <FormControlLabel
            control={<Checkbox checked={not} onChange={(_event, isOn) => setNot(isOn)} />}
            label="Show rows that do not match"
          />
        )}
        <Box sx={{ display: 'flex', justifyContent: 'flex-end', gap: 1 }}>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" variant="contained">
            {isChange ? 'Apply' : 'Add'}
          </Button>
        </Box>
      </Box>
    </Popover>
  );
}

interface FilterValueProps {
  readonly condition: Condition;
  readonly field: (typeof fields)[number];
  readonly typed: string;
  readonly type: (text: string) => void;
  readonly problem: string | undefined;
}

/** The inputs for the value. */
function FilterValue({ condition: { needs, around }, field, typed, type, problem }: FilterValueProps) {
  if ((needs === 'value' && around === undefined) || needs === 'range') {
    const label = needs === 'range' ? 'From' : 'Value';
    return <ValueInput field={field} label={label} text={typed} onChange={type} problem={problem} />;
  }
  const isList = needs === 'list';
  return (
    <TextField
      label={isList ? 'Values, separated by commas' : 'Value'}
      value={typed}
      onChange={(event) => type(event.target.value)}
      autoComplete="off"
      error={problem !== undefined}
      helperText={problem}
      slotProps={{ htmlInput: { inputMode: isList || isText(field) ? 'text' : inputModeOf(field) } }}
    />
  );
}
