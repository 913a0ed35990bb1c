/** The form of a row, with an input per declared field. `shared/values.ts` parses the input on save. */
import { Box } from '@mui/material';
import { useFormIsDirty } from 'ra-core';
import { type ReactNode, type RefObject, useEffect } from 'react';
import {
  BooleanInput,
  FormDataConsumer,
  NullableBooleanInput,
  SaveButton,
  SelectInput,
  TextInput,
  Toolbar,
  useRecordContext,
  type Validator,
} from 'react-admin';
import type { Field } from '../../../../collection/declaration.ts';
import type { Value } from '../../../../collection/value.ts';
import {
  type Cells,
  fields,
  helpTextOf,
  isWritable,
  type KeyedRow,
  key,
  labelOf,
  titleField,
} from '../../shared/api/collection.ts';
import { mayWrite } from '../../shared/api/rights.ts';
import { ProblemInPlace } from '../../shared/page/problem.tsx';
import { LeaveGuard } from '../../shared/page/unsaved.tsx';
import { editableText, entryOf, isYes, isYesNo, readEntered, yesOrNo } from '../../shared/values/values.ts';
import { Preview } from './picture.tsx';
import { ReferenceField } from './reference-field.tsx';
import { TagsField } from './tags-field.tsx';
import { inputTypeOf, slotsOf } from './value-input.tsx';

export function FormFields({ isNew }: { readonly isNew: boolean }) {
  return (
    <Box
      sx={{ display: 'grid', gap: 1, columnGap: 2, width: '100%', gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}
    >
      {fields
        .filter((field) => isWritable(field) && (isNew ? mayWrite(field, true) : field !== key))
        .map((field) => (
          <Box key={field.name} sx={field === titleField ? { gridColumn: '1 / -1', order: -1 } : {}}>
            <FieldInput field={field} isNew={isNew} />
          </Box>
        ))}
    </Box>
  );
}

function FieldInput({ field, isNew }: { readonly field: Field; readonly isNew: boolean }) {
  const help = helpTextOf(field) ?? false;
  const isReadOnly = !mayWrite(field, isNew);
  const common = { source: field.name, label: labelOf(field), helperText: help, readOnly: isReadOnly };
  const isNeeded = field.required && !(isNew && isFilledIn(field));
  const before = useRecordContext<KeyedRow>()?.[field.name];
  // A stored value is valid, even if it could not be typed.
  const validate: Validator = (value) => (value === before && value ? undefined : problemOf(field, value, isNeeded));
  const entry = entryOf(field, before);
  if (isYesNo(field) && (field.required || field.role === 'flag')) {
    return (
      <BooleanInput
        {...common}
        defaultValue={field.default ?? yesOrNo(field, false)}
        format={isYes}
        parse={(isOn: boolean) => yesOrNo(field, isOn)}
      />
    );
  }
  if (isYesNo(field)) return <NullableBooleanInput {...common} fullWidth />;
  if (entry === 'tags') {
    return (
      <TagsField
        field={field}
        validate={validate}
        isRequired={isNeeded}
        readOnly={isReadOnly}
        help={help || undefined}
      />
    );
  }
  if (entry === 'reference') {
    return (
      <ReferenceField
        field={field}
        validate={validate}
        isRequired={isNeeded}
        readOnly={isReadOnly}
        help={help || undefined}
      />
    );
  }
  if (field.rules.oneOf !== undefined) {
    const choices = field.rules.oneOf.map((each) => ({ id: each, name: String(each) }));
    return <SelectInput {...common} choices={choices} validate={validate} isRequired={isNeeded} fullWidth />;
  }
  const shown = editableText(field, before);
  const input = (
    <TextInput
      {...common}
      validate={validate}
      isRequired={isNeeded}
      format={(value: unknown) => editableText(field, value)}
      parse={(text: string) => text}
      multiline={entry === 'json' || entry === 'long text'}
      type={inputTypeOf(field, shown)}
      slotProps={slotsOf(field, shown)}
      {...(entry === 'json' ? { sx: MONOSPACE } : {})}
      autoComplete="off"
      fullWidth
    />
  );
  if (entry !== 'image') return input;
  return (
    <>
      {input}
      <FormDataConsumer>
        {({ formData }) => <Preview label={labelOf(field)} address={formData?.[field.name]} />}
      </FormDataConsumer>
    </>
  );
}

const MONOSPACE = { '& textarea': { fontFamily: 'monospace', fontSize: '0.875rem' } };

/** Whether the service fills an omitted field: the key, or a field with a default. */
export function isFilledIn(field: Field): boolean {
  return field === key || field.filled !== false || (field.default ?? field.generated) !== undefined;
}

function problemOf(field: Field, value: unknown, isNeeded: boolean): string | undefined {
  if (value === null || value === undefined || value === '')
    return isNeeded ? `${labelOf(field)} is required.` : undefined;
  if (typeof value !== 'string') return undefined;
  const entered = readEntered(field, value);
  return 'problem' in entered ? entered.problem : undefined;
}

/** Parses the form. Untouched fields are omitted, so that they keep every digit. */
export function readForm(data: Readonly<Record<string, unknown>>, before: Cells = {}): Record<string, Value> {
  const values: Record<string, Value> = {};
  for (const field of fields.filter(isWritable)) {
    const value = data[field.name];
    if (value === undefined || value === before[field.name]) continue;
    const entered =
      typeof value === 'string' && !isYesNo(field) ? readEntered(field, value) : { value: value as Value };
    values[field.name] = 'value' in entered ? entered.value : null;
  }
  return values;
}

interface FormEndProps {
  readonly isUnsaved: RefObject<boolean>;
  readonly what: string;
  readonly error: unknown;
}

/** The error of the last save, and the question before someone leaves unsaved work. */
export function FormEnd({ isUnsaved, what, error }: FormEndProps) {
  const isDirty = useFormIsDirty();
  useEffect(() => {
    isUnsaved.current = isDirty;
  }, [isDirty, isUnsaved]);
  return (
    <>
      {error !== undefined && <ProblemInPlace title="Nothing was saved" error={error} />}
      <LeaveGuard isUnsaved={isUnsaved} when={isDirty} what={what} />
    </>
  );
}

interface FormToolbarProps {
  /** The delete button, if the role may delete the row. */
  readonly remove?: ReactNode;
  readonly maySave: boolean;
  readonly isSaving: boolean;
}

export function FormToolbar({ remove, maySave, isSaving }: FormToolbarProps) {
  return (
    <Toolbar sx={{ justifyContent: 'space-between', '&&': { backgroundColor: 'action.hover' } }}>
      {maySave && <SaveButton alwaysEnable={!isSaving} disabled={isSaving} />}
      {remove}
    </Toolbar>
  );
}
