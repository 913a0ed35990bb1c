/** The form of one row, with an input for each declared field. */
import { Box } from '@mui/material';
import {
  BooleanInput,
  maxLength,
  maxValue,
  minValue,
  NumberInput,
  required,
  TextInput,
  type Validator,
} from 'react-admin';
import type { Field } from '../../../collection/declaration.ts';
import { fields, isDecimal, isNumeric, isText, key, labelOf } from '../shared/collection.ts';

const TEXT_LENGTH = 10_000;

export function FormFields({ isNew }: { readonly isNew: boolean }) {
  return (
    <Box
      sx={{ display: 'grid', gap: 1, columnGap: 2, width: '100%', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}
    >
      {fields
        .filter((field) => isNew || field !== key)
        .map((field) => (
          <Box key={field.name} sx={field.role === 'title' ? { gridColumn: '1 / -1', order: -1 } : {}}>
            <FieldInput field={field} isNew={isNew} />
          </Box>
        ))}
    </Box>
  );
}

function FieldInput({ field, isNew }: { readonly field: Field; readonly isNew: boolean }) {
  const common = { source: field.name, label: labelOf(field), helperText: isTelling(field) && field.description };
  const validate = rulesOf(field, isNew);
  if (field.role === 'flag') {
    return (
      <BooleanInput
        {...common}
        defaultValue={field.default ?? 0}
        format={(value: number | null) => value !== 0 && value !== null && value !== undefined}
        parse={(value: boolean) => (value ? 1 : 0)}
      />
    );
  }
  if (isText(field)) return <TextInput {...common} validate={validate} fullWidth />;
  return <NumberInput {...common} validate={validate} step={isDecimal(field) ? 0.01 : 1} fullWidth />;
}

/** What the service would refuse anyway, said before it is sent. */
function rulesOf(field: Field, isNew: boolean): Validator[] {
  const rules: Validator[] = [];
  if (field.required && field.default === undefined && !(field === key && isNew)) rules.push(required());
  const { minimum, maximum } = field.type.schema;
  if (typeof minimum === 'number') rules.push(minValue(minimum));
  if (typeof maximum === 'number') rules.push(maxValue(maximum));
  if (isNumeric(field) && !isDecimal(field)) rules.push(isWhole);
  if (isText(field)) rules.push(maxLength(TEXT_LENGTH));
  return rules;
}

const isWhole: Validator = (value: unknown) =>
  value === null || value === undefined || Number.isInteger(value) ? undefined : 'Must be a whole number';

/** A description that only repeats the label is left out. */
function isTelling(field: Field): boolean {
  return (field.description ?? '').replace('.', '').toLowerCase() !== labelOf(field).toLowerCase();
}
