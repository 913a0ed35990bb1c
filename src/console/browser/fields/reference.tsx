/** References to rows of other collections, shown as the title of the other row. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { referenceOf, titleOfCollection, type Value } from '../api/catalogue.ts';
import { findRows } from '../api/find-rows.ts';
import { cachedTitle, cacheTitle } from '../api/titles.ts';
import { Combobox } from '../components/combobox.tsx';
import { t } from '../i18n/text.ts';
import type { CellProps, FieldKind, FieldPlace, FilterProps, InputProps, Parsed } from './kind.ts';
import { readNumber } from './numbers.ts';
import { parsePlain } from './rules.ts';

function format({ collection, field }: FieldPlace, value: Value): string {
  return value === null ? '' : (cachedTitle(collection, field, value) ?? String(value));
}

const print = (_place: FieldPlace, value: Value): string => (value === null ? '' : String(value));

function parse({ collection, field }: FieldPlace, text: string): Parsed {
  const isNumber = field.type.input === 'number';
  const plain = isNumber ? readNumber(text) : text.trim();
  if (plain !== undefined) return parsePlain(field, plain);
  return { problem: t.errors.chooseRow(titleOfCollection(referenceOf(collection, field)!)) };
}

function ReferenceCell({ collection, field, row }: CellProps) {
  const value = row[field.name] ?? null;
  const other = referenceOf(collection, field)!;
  if (value === null) return null;
  return (
    <Link href={`/c/${other.name}/${encodeURIComponent(String(value))}`} tabIndex={-1}>
      {format({ collection, field }, value)}
    </Link>
  );
}

function ReferenceInput({ collection, field, text, onChange, ...rest }: InputProps) {
  const other = referenceOf(collection, field)!;
  const shown = text === '' ? '' : (cachedTitle(collection, field, text) ?? text);
  const [typed, setTyped] = useState('');
  const found = useQuery({
    queryKey: ['list', other.name, 'options', typed],
    queryFn: ({ signal }) => findRows(other, typed, signal),
  });
  return (
    <Combobox
      {...rest}
      isRequired={field.required}
      text={shown}
      options={found.data ?? []}
      isLoading={found.isFetching}
      onType={setTyped}
      onChoose={(option) => {
        if (option !== undefined) cacheTitle(collection, field, option.value, option.label);
        onChange(option?.value ?? '');
      }}
    />
  );
}

function ReferenceFilter({ conditions, onChange, ...place }: FilterProps) {
  const [, key = ''] = /^eq\.(.*)$/.exec(conditions[0] ?? '') ?? [];
  return <ReferenceInput {...place} text={key} onChange={(text) => onChange(text === '' ? [] : [`eq.${text}`])} />;
}

export const reference: FieldKind = {
  name: 'reference',
  format,
  print,
  parse,
  Cell: ReferenceCell,
  Input: ReferenceInput,
  Filter: ReferenceFilter,
};
