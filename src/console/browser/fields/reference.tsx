/** References to rows of other collections, shown as the title of the other row. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import {
  type Collection,
  may,
  type Row,
  referenceOf,
  titleFieldOf,
  titleOfCollection,
  type Value,
} from '../api/catalogue.ts';
import { pathOf } from '../api/query/filter-text.ts';
import { findRows, readTitles } from '../api/query/find-rows.ts';
import { cachedTitle, cacheTitle } from '../api/query/titles.ts';
import { Combobox } from '../components/combobox.tsx';
import { onDemand } from '../components/on-demand.tsx';
import { t } from '../i18n/text.ts';
import type { CellProps, FieldKind, FieldPlace, InputProps, Parsed } from './kind.ts';
import { readNumber } from './numbers.ts';
import { parsePlain } from './rules.ts';
import { text as plainText } from './text.tsx';

const NewRowDialog = onDemand(() => import('../record/new-row-dialog.tsx'));

function format({ collection, field }: FieldPlace, value: Value): string {
  return cachedTitle(referenceOf(collection, field)!, value) ?? String(value);
}

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
    <Link href={`/c${pathOf(other)}/${encodeURIComponent(String(value))}`} tabIndex={-1}>
      {format({ collection, field }, value)}
    </Link>
  );
}

function ReferenceInput({ collection, field, text, onChange, mayOpenDialog, ...rest }: InputProps) {
  const other = referenceOf(collection, field)!;
  const known = text === '' ? '' : cachedTitle(other, text);
  // A draft has the key only.
  const loaded = useQuery({
    queryKey: ['list', other.name, 'title', text],
    queryFn: async ({ signal }) => {
      await readTitles(other, [text], signal);
      return cachedTitle(other, text) ?? text;
    },
    enabled: known === undefined && !Number.isNaN(Number(text)) === (field.type.input === 'number'),
    retry: false,
  });
  const shown = known ?? loaded.data ?? text;
  const [typed, setTyped] = useState('');
  const [newTitle, setNewTitle] = useState<string>();
  const found = useQuery({
    queryKey: ['list', other.name, 'options', typed],
    queryFn: ({ signal }) => findRows(other, typed, signal),
  });
  const onCreated = (row: Row) => {
    setNewTitle(undefined);
    cacheTitle(other, row);
    onChange(String(row[other.key[0]!.name]));
  };
  return (
    <>
      <Combobox
        {...rest}
        isRequired={field.required}
        text={shown}
        options={found.data ?? []}
        isLoading={found.isFetching}
        onType={setTyped}
        onChoose={(option) => onChange(option?.value ?? '')}
        onCreate={
          mayOpenDialog && mayCreate(other) ? { label: t.record.createReferenced, create: setNewTitle } : undefined
        }
      />
      {newTitle !== undefined && (
        <NewRowDialog
          collection={other}
          title={newTitle}
          onCreated={onCreated}
          onClose={() => setNewTitle(undefined)}
        />
      )}
    </>
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
