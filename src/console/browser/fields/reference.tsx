/** References to rows of other collections, shown as the title of the other row. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { type Collection, may, referenceOf, titleFieldOf, titleOfCollection, type Value } from '../api/catalogue.ts';
import { findRows, readTitles } from '../api/query/find-rows.ts';
import { pathOf } from '../api/query/text.ts';
import { cachedTitle, cacheTitle, countTitled, titleKey } from '../api/query/titles.ts';
import { newRows } from '../api/questions.ts';
import { IconButton } from '../components/button.tsx';
import { Combobox } from '../components/combobox.tsx';
import { readTyped } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import type { CellProps, FieldKind, FieldPlace, InputProps, Parsed } from './kind.ts';
import { parsePlain } from './parse.ts';
import { text as plainText } from './text.tsx';

function format({ collection, field }: FieldPlace, value: Value): string {
  return cachedTitle(referenceOf(collection, field)!, value) ?? String(value);
}

function parse({ collection, field }: FieldPlace, text: string): Parsed {
  const plain = field.type.input === 'number' ? readTyped(text) : text.trim();
  const parsed = plain === undefined ? undefined : parsePlain(field, plain);
  if (parsed !== undefined && 'value' in parsed) return parsed;
  const other = referenceOf(collection, field)!;
  if (countTitled(other, plain ?? text) > 1) return { problem: t.grid.ambiguous(text.trim()) };
  const unknown = t.importing.unknownName(text, titleOfCollection(other));
  return { problem: `${unknown} ${mayCreate(other) ? t.errors.chooseRow : t.errors.mayNotCreate}` };
}

/** The address of the row that a value refers to. */
export const referencedAddress = ({ collection, field }: FieldPlace, value: Value): string =>
  `/c${pathOf(referenceOf(collection, field)!)}/${encodeURIComponent(String(value))}`;

function ReferenceCell({ row, ...place }: CellProps) {
  const value = row[place.field.name] ?? null;
  if (value === null) return null;
  return (
    <Link href={referencedAddress(place, value)} tabIndex={-1}>
      {format(place, value)}
    </Link>
  );
}

/** Leads from an input to the row of its value. */
export function ReferenceLink({ text, ...place }: FieldPlace & Pick<InputProps, 'text'>) {
  const other = referenceOf(place.collection, place.field);
  const title = other && cachedTitle(other, text);
  if (title === undefined) return null;
  const label = t.app.openItem(title);
  return <IconButton icon="external-link" className="small" href={referencedAddress(place, text)} label={label} />;
}

function ReferenceInput({ collection, field, text, onChange, mayOpenDialog, ...rest }: InputProps) {
  const other = referenceOf(collection, field)!;
  // A draft has the key only.
  const { data: title = text } = useQuery({
    queryKey: titleKey(other, text),
    queryFn: async ({ signal }) => {
      await readTitles(other, [text], signal);
      return cachedTitle(other, text) ?? text;
    },
    enabled: text !== '' && !Number.isNaN(Number(text)) === (field.type.input === 'number'),
    retry: false,
  });
  const [typed, setTyped] = useState('');
  const found = useQuery({
    queryKey: ['list', other.name, 'options', typed],
    queryFn: ({ signal }) => findRows(other, typed, signal),
  });
  /** The row of this name, unless several have it. */
  const named = (name: string) => {
    const rows = found.data?.filter(({ label }) => label.toLowerCase() === name.toLowerCase());
    return rows?.length === 1 ? rows[0]!.value : undefined;
  };
  // The options may arrive after the person has left the input with a name.
  const late = text === typed ? named(text) : undefined;
  useEffect(() => {
    if (late !== undefined && late !== text) onChange(late);
  });
  const create = async (title: string) => {
    const row = await newRows.ask({ collection: other, title });
    if (row === undefined) return;
    cacheTitle(other, row);
    onChange(String(row[other.key[0]!.name]));
  };
  return (
    <Combobox
      {...rest}
      isRequired={field.required}
      text={title}
      options={found.data ?? []}
      isLoading={found.isFetching}
      onType={setTyped}
      onChoose={(option) => onChange(option?.value ?? '')}
      onLeave={(name) => onChange(named(name) ?? name)}
      onCreate={
        mayOpenDialog && mayCreate(other)
          ? { label: t.record.createReferenced, create: (title) => void create(title) }
          : undefined
      }
    />
  );
}

const mayCreate = (other: Collection): boolean => may('create', other) && titleFieldOf(other) !== undefined;

export const reference: FieldKind = {
  ...plainText,
  name: 'reference',
  format,
  parse,
  Cell: ReferenceCell,
  Input: ReferenceInput,
  Filter: undefined,
};
