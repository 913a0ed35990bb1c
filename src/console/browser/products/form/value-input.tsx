/** An input for a field value, as text for `readEntered`: a select if there are few choices, else a text input. */
import { MenuItem, TextField, type TextFieldProps } from '@mui/material';
import { Suspense } from 'react';
import type { Field } from '../../../../collection/declaration.ts';
import { isDecimal, isJson, isNumeric } from '../../shared/api/collection.ts';
import { lazyPart } from '../../shared/page/page-boundary.tsx';
import { dateInputOf } from '../../shared/values/dates.ts';
import { entryOf, formatValue, isReference, isTags, isYesNo, valueText, yesOrNo } from '../../shared/values/values.ts';

/** Loaded on demand, so that the first view appears sooner. */
export const ReferenceInput = lazyPart(async () => (await import('./reference-input.tsx')).ReferenceInput);

const TagsInput = lazyPart(async () => (await import('./tags-input.tsx')).TagsInput);

interface ValueInputProps {
  readonly field: Field;
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** Whether the input gets the focus. */
  readonly isFirst?: boolean;
  readonly disabled?: boolean;
  readonly problem?: string | undefined;
  readonly help?: string | undefined;
}

export function ValueInput({
  field,
  label,
  text,
  onChange,
  isFirst = true,
  disabled = false,
  problem,
  help,
}: ValueInputProps) {
  const common: TextFieldProps = {
    label,
    value: text,
    disabled,
    error: problem !== undefined,
    helperText: problem ?? help,
    onChange: (event) => onChange(event.target.value),
    autoComplete: 'off',
  };
  if (isReference(field)) {
    return (
      <Suspense fallback={<TextField {...common} disabled />}>
        <ReferenceInput
          field={field}
          label={label}
          text={text}
          onChange={onChange}
          disabled={disabled}
          problem={problem}
          autoFocus={isFirst}
        />
      </Suspense>
    );
  }
  if (isTags(field)) {
    return (
      <Suspense fallback={<TextField {...common} disabled />}>
        <TagsInput
          label={label}
          tags={tagsIn(text)}
          onChange={(tags) => onChange(tags.length === 0 ? '' : JSON.stringify(tags))}
          disabled={disabled}
          problem={problem}
          help={help}
        />
      </Suspense>
    );
  }
  const choices = isYesNo(field) ? [true, false].map((isOn) => yesOrNo(field, isOn)) : field.rules.oneOf;
  if (choices === undefined) {
    const isLong = isJson(field) || entryOf(field) === 'long text';
    return (
      <TextField
        {...common}
        autoFocus={isFirst}
        multiline={isLong}
        type={inputTypeOf(field, text)}
        slotProps={slotsOf(field, text)}
      />
    );
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

/** Parses the text of a tag list. */
function tagsIn(text: string): readonly string[] {
  const { value } = { value: undefined, ...readTags(text) };
  return Array.isArray(value) ? value.map(String) : [];
}

function readTags(text: string): { value?: unknown } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return {};
  }
}

/** The browser's input shows dates and times in the reader's format. */
export function inputTypeOf(field: Field, text: string): ReturnType<typeof dateInputOf> {
  return dateInputOf(field, text);
}

/** With seconds. */
export const stepOf = (field: Field): { step?: number } =>
  field.type.input === 'time' || field.type.input === 'datetime' ? { step: 1 } : {};

export function slotsOf(field: Field, text: string): NonNullable<TextFieldProps['slotProps']> {
  return {
    htmlInput: { inputMode: inputModeOf(field), ...stepOf(field), ...(isJson(field) ? { spellCheck: false } : {}) },
    // A date input always shows its format, so the label must not cover it.
    ...(inputTypeOf(field, text) === 'text' ? {} : { inputLabel: { shrink: true } }),
  };
}

/** The keyboard that a phone shows. */
export function inputModeOf(field: Field): 'decimal' | 'numeric' | 'text' {
  if (!isNumeric(field)) return 'text';
  return isDecimal(field) ? 'decimal' : 'numeric';
}
