/** The form input for a reference, with links to the chosen row and to a new one. */
import { Box, Link } from '@mui/material';
import { Suspense } from 'react';
import { useInput, useRecordContext, type Validator } from 'react-admin';
import type { Field } from '../../../../collection/declaration.ts';
import { type KeyedRow, labelOf, oneOf } from '../../shared/api/collection.ts';
import { mayCreateIn } from '../../shared/api/rights.ts';
import { cachedTitle, hrefOfNew, hrefOfRow, referencedTitle, referenceOf } from '../../shared/values/references.ts';
import { valueText } from '../../shared/values/values.ts';
import { ReferenceInput } from './value-input.tsx';

interface ReferenceFieldProps {
  readonly field: Field;
  readonly validate: Validator;
  readonly isRequired: boolean;
  readonly readOnly: boolean;
  readonly help: string | undefined;
}

export function ReferenceField({ field, validate, isRequired, readOnly, help }: ReferenceFieldProps) {
  const other = referenceOf(field)!;
  const row = useRecordContext<KeyedRow>();
  const {
    field: { value, onChange },
    fieldState: { error },
  } = useInput({ source: field.name, validate, format: (given: unknown) => given, parse: (given: unknown) => given });
  const text = valueText(value);
  const before = row && referencedTitle(field, row);
  const chosen = row && text === valueText(row[field.name]) ? before : cachedTitle(field, text);
  const href = chosen === undefined ? undefined : hrefOfRow(other, text);
  return (
    <Box>
      <Suspense>
        <ReferenceInput
          key={valueText(row?.[field.name])}
          field={field}
          label={labelOf(field)}
          text={text}
          title={chosen}
          onChange={(typed) => onChange(typed === '' ? null : typed)}
          disabled={readOnly}
          required={isRequired}
          problem={error?.message?.replace(/^@@react-admin@@"?|"$/g, '')}
          help={help}
        />
      </Suspense>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 2, px: 1.75, typography: 'body2' }}>
        {href !== undefined && <Link href={href}>Open {chosen}</Link>}
        {!readOnly && mayCreateIn(other) && (
          <Link href={hrefOfNew(other)} target="_blank">
            New {oneOf(other.name)}
          </Link>
        )}
      </Box>
    </Box>
  );
}
