/** The form input for tags. */
import { useInput, type Validator } from 'react-admin';
import type { Field } from '../../../../collection/declaration.ts';
import { labelOf } from '../../shared/api/collection.ts';
import { TagsInput } from './tags-input.tsx';

interface TagsFieldProps {
  readonly field: Field;
  readonly validate: Validator;
  readonly isRequired: boolean;
  readonly readOnly: boolean;
  readonly help: string | undefined;
}

export function TagsField({ field, validate, isRequired, readOnly, help }: TagsFieldProps) {
  const {
    field: { value, onChange },
    fieldState: { error },
  } = useInput({ source: field.name, validate, format: (given: unknown) => given, parse: (given: unknown) => given });
  return (
    <TagsInput
      label={labelOf(field)}
      tags={Array.isArray(value) ? (value as string[]) : []}
      onChange={(tags) => onChange(tags)}
      disabled={readOnly}
      required={isRequired}
      problem={error?.message?.replace(/^@@react-admin@@"?|"$/g, '')}
      help={help}
    />
  );
}
