/** An input for a value of a field, as text that `readEntered` reads: a choice where there are few, else what one types. */
import { MenuItem, TextField, type TextFieldProps } from '@mui/material';
import type { Field } from '../../../collection/declaration.ts';
import { isDecimal, isNumeric } from '../shared/collection.ts';
import { formatValue, isYesNo, valueText, yesOrNo } from '../shared/values.ts';

interface ValueInputProps {
  readonly field: Field;
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly disabled?: boolean;
  readonly problem?: string | undefined;
  readonly help?: string | undefined;
}

export function ValueInput({ field, label, text, onChange, disabled = false, problem, help }: ValueInputProps) {
  const common: TextFieldProps = {
    label,
    value: text,
    disabled,
    error: problem !== undefined,
    helperText: problem ?? help,
    onChange: (event) => onChange(event.target.value),
    autoComplete: 'off',
  };
  const choices = isYesNo(field) ? [true, false].map((isOn) => yesOrNo(field, isOn)) : field.rules.oneOf;
  if (choices === undefined) {
    return <TextField {...common} autoFocus type={inputTypeOf(field)} slotProps={slotsOf(field)} />;
  }
  return (
    <TextField {...common} select>
      {choices.map((each) => (
        <MenuItem key={String(each)} value={valueText(each)}>
          {formatValue(field, each)}
        </MenuItem>
      ))}
    </TextField>
  );
}

/** The browser writes a date as the reader does. */
export function inputTypeOf({ type }: Field): 'date' | 'text' {
  return type.input === 'date' ? 'date' : 'text';
}

export function slotsOf(field: Field): NonNullable<TextFieldProps['slotProps']> {
  return {
    htmlInput: { inputMode: inputModeOf(field) },
    // An input for dates is never empty to look at.
    ...(inputTypeOf(field) === 'date' ? { inputLabel: { shrink: true } } : {}),
  };
}

/** Which keys a phone shows. */
export function inputModeOf(field: Field): 'decimal' | 'numeric' | 'text' {
  if (!isNumeric(field)) return 'text';
  return isDecimal(field) ? 'decimal' : 'numeric';
}
