/** The choices that only a person can make: the field that identifies rows, and what happens to existing rows. */
import {
  Alert,
  Checkbox,
  FormControl,
  FormControlLabel,
  FormLabel,
  MenuItem,
  Radio,
  RadioGroup,
  TextField,
} from '@mui/material';
import { key, labelOf } from '../shared/api/collection.ts';
import { mayCreate, mayUpdate } from '../shared/api/rights.ts';
import { counted, formatNumber } from '../shared/values/numbers.ts';
import { assignsKeys, isUnique, matchFields } from './columns.ts';
import { type Decision, type ImportOptions, type Plan, UNDECIDED } from './row-outcome.ts';

interface QuestionsProps {
  readonly options: ImportOptions;
  readonly plan: Plan;
  readonly check: (options: ImportOptions) => void;
}

const NONE = '';

export function Questions({ options, plan, check }: QuestionsProps) {
  const { sheet, mapping, match, decision, emptying } = options;
  const candidates = matchFields(sheet, mapping);
  // A row cannot repeat a unique value. It can repeat a key, since it gets a new one.
  const mayAdd = mayCreate && (match === key ? assignsKeys : match !== undefined && !isUnique(match));
  return (
    <>
      {candidates.length > 0 && (
        <TextField
          select
          size="small"
          label="Match stored rows by"
          value={match?.name ?? NONE}
          sx={{ maxWidth: 320 }}
          onChange={({ target }) =>
            check({ ...options, decision: UNDECIDED, match: candidates.find(({ name }) => name === target.value) })
          }
        >
          {candidates.map((field) => (
            <MenuItem key={field.name} value={field.name}>
              {labelOf(field)}
            </MenuItem>
          ))}
          {mayCreate && <MenuItem value={NONE}>Nothing (every row is new)</MenuItem>}
        </TextField>
      )}
      {plan.existing > 0 && (
        <FormControl>
          <FormLabel id="existing">
            {counted(plan.existing, 'row of the file already exists', 'rows of the file already exist')}
            {decision !== 'leave' && decision !== 'add' && `, and ${formatNumber(plan.differing)} would change`}. What
            should happen to {plan.existing === 1 ? 'it' : 'them'}?
          </FormLabel>
          <RadioGroup
            aria-labelledby="existing"
            value={decision ?? NONE}
            onChange={({ target }) => check({ ...options, decision: target.value as Decision })}
          >
            <FormControlLabel value="leave" control={<Radio size="small" />} label="Keep the stored values" />
            {mayUpdate && (
              <FormControlLabel
                value="change"
                control={<Radio size="small" />}
                label="Replace them with the values of the file"
              />
            )}
            {mayAdd && <FormControlLabel value="add" control={<Radio size="small" />} label="Add as new rows" />}
          </RadioGroup>
        </FormControl>
      )}
      {decision === 'change' && plan.emptied > 0 && (
        <FormControlLabel
          control={
            <Checkbox
              size="small"
              checked={emptying}
              onChange={({ target }) => check({ ...options, emptying: target.checked })}
            />
          }
          label={`Empty cells clear the stored value (${counted(plan.emptied, 'cell')})`}
        />
      )}
      {sheet.notes.map((note) => (
        <Alert key={note} severity="info">
          {note}
        </Alert>
      ))}
    </>
  );
}
