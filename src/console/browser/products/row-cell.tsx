/** A cell of the grid: its value, or an input while its row is being edited. */
import { Chip, InputBase, Link, Switch } from '@mui/material';
import type { KeyboardEvent } from 'react';
import { useCreatePath, useRecordContext } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import type { Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import { collectionName, formatValue, isNumeric, key, labelOf, type Record_, titleOf } from '../shared/collection.ts';
import { useEditing } from './inline-editing.tsx';

export function RowCell({ field }: { readonly field: Field }) {
  const record = useRecordContext<Record_>();
  const { draft, begin } = useEditing();
  if (record === undefined) return null;
  if (draft?.row.id === record.id && field !== key) return <CellInput field={field} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a short cut for the mouse; the row's edit button does the same
    <span onDoubleClick={() => field !== key && void begin(record.id, field.name)}>
      <CellValue field={field} record={record} />
    </span>
  );
}

function CellValue({ field, record }: { readonly field: Field; readonly record: Record_ }) {
  const createPath = useCreatePath();
  const text = formatValue(field, record[field.name]);
  if (field.role === 'title') {
    const path = createPath({ resource: collectionName, type: 'edit', id: record.id });
    return (
      <Link component={RouterLink} to={path} underline="hover" sx={{ fontWeight: 600 }}>
        {titleOf(record)}
      </Link>
    );
  }
  if (field.role === 'flag' && record[field.name] !== 0) return <Chip size="small" label={text} />;
  return <>{text}</>;
}

function CellInput({ field }: { readonly field: Field }) {
  const { draft, set, save, cancel } = useEditing();
  const value = draft?.values[field.name] ?? null;
  const label = `${labelOf(field)} of ${draft === undefined ? '' : titleOf(draft.row)}`;
  if (field.role === 'flag') {
    return (
      <Switch
        size="small"
        checked={value !== 0 && value !== null}
        onChange={(_event, isOn) => set(field.name, isOn ? 1 : 0)}
        slotProps={{ input: { 'aria-label': label } }}
      />
    );
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void save();
    if (event.key === 'Escape') cancel();
  };
  return (
    <InputBase
      autoFocus={draft?.focus === field.name}
      type={isNumeric(field) ? 'number' : 'text'}
      value={value ?? ''}
      onChange={(event) => set(field.name, readInput(field, event.target.value))}
      onKeyDown={onKeyDown}
      inputProps={{ 'aria-label': label, step: field.type === 'decimal' ? 'any' : 1, size: 12 }}
      sx={{
        border: 1,
        borderColor: 'primary.main',
        borderRadius: 1,
        px: 0.75,
        width: field.type === 'text' ? '100%' : 96,
        minWidth: field.type === 'text' ? 120 : 0,
        '& input': { textAlign: isNumeric(field) ? 'right' : 'left', py: 0.25 },
        fontSize: 'inherit',
      }}
    />
  );
}

/** An empty input is null, where the field may be; what is no number is left to the service to refuse. */
function readInput(field: Field, text: string): Value {
  if (text === '') return field.required && field.type === 'text' ? '' : null;
  if (!isNumeric(field)) return text;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
