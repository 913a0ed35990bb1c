/** The form of one row, with an input for each declared field. */
import { Box } from '@mui/material';
import {
  BooleanInput,
  maxLength,
  maxValue,
  minValue,
  NullableBooleanInput,
  NumberInput,
  required,
  TextInput,
  type Validator,
} from 'react-admin';
import type { Field } from '../../../collection/declaration.ts';
import { fields, isDecimal, isJson, isNumeric, isText, key, labelOf, valueText } from '../shared/collection.ts';
import { mayWrite } from '../shared/rights.ts';

const TEXT_LENGTH = 10_000;

export function FormFields({ isNew }: { readonly isNew: boolean }) {
  return (
    <Box
      sx={{ display: 'grid', gap: 1, columnGap: 2, width: '100%', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}
    >
      {fields
        .filter((field) => (isNew ? mayWrite(field, true) : field !== key))
        .map((field) => (
          <Box key={field.name} sx={field.role === 'title' ? { gridColumn: '1 / -1', order: -1 } : {}}>
            <FieldInput field={field} isNew={isNew} />
          </Box>
        ))}
    </Box>
  );
}

function FieldInput({ field, isNew }: { readonly field: Field; readonly isNew: boolean }) {
  const common = {
    source: field.name,
    label: labelOf(field),
    helperText: isTelling(field) && field.description,
    readOnly: !mayWrite(field, isNew),
  };
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
  if (field.type.input === 'switch') return <NullableBooleanInput {...common} validate={validate} fullWidth />;
  if (isJson(field)) return <TextInput {...common} validate={validate} format={valueText} multiline fullWidth />;
  if (!isNumeric(field)) return <TextInput {...common} validate={validate} fullWidth />;
  return <NumberInput {...common} validate={validate} step={isDecimal(field) ? 0.01 : 1} fullWidth />;
}

/** What the service would refuse anyway, said before it is sent. */
function rulesOf(field: Field, isNew: boolean): Validator[] {
  const rules: Validator[] = [];
  if (field.required && (field.default ?? field.generated) === undefined && !(field === key && isNew))
    rules.push(required());
  if (isJson(field)) rules.push(isJsonText);
  const { minimum, maximum } = { ...field.type.schema, ...field.rules };
  if (typeof minimum === 'number') rules.push(minValue(minimum));
  if (typeof maximum === 'number') rules.push(maxValue(maximum));
  if (isNumeric(field) && !isDecimal(field)) rules.push(isWhole);
  if (isText(field)) rules.push(maxLength(field.rules.maxLength ?? TEXT_LENGTH));
  return rules;
}

const isWhole: Validator = (value: unknown) =>
  value === null || value === undefined || Number.isInteger(value) ? undefined : 'Must be a whole number';

const isJsonText: Validator = (value: unknown) =>
  typeof value !== 'string' || value === '' || parsed(value) !== undefined ? undefined : 'Must be JSON';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What was entered as JSON text is sent as what it says; an empty one is null. */
export function withoutJsonText(data: Record<string, unknown>): Record<string, unknown> {
  const texts = fields.filter((field) => isJson(field) && typeof data[field.name] === 'string');
  return { ...data, ...Object.fromEntries(texts.map(({ name }) => [name, parsed(data[name] as string) ?? null])) };
}

/** A description that only repeats the label is left out. */
function isTelling(field: Field): boolean {
  return (field.description ?? '').replace('.', '').toLowerCase() !== labelOf(field).toLowerCase();
}
