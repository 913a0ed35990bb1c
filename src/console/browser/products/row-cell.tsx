/** What a cell of the grid holds: its value, or an input while its row is being edited. */
import { Chip, Switch } from '@mui/material';
import { type KeyboardEvent, Suspense } from 'react';
import { Link } from 'react-router-dom';
import type { Field } from '../../../collection/declaration.ts';
import { isJson, isWritable, itemPath, key, labelOf, type Record_, titleField, titleOf } from '../shared/collection.ts';
import { hrefOfRow, referenceOf, titleReferred } from '../shared/references.ts';
import {
  editableText,
  formatCell,
  formatValue,
  isReference,
  isYes,
  isYesNo,
  valueText,
  yesOrNo,
} from '../shared/values.ts';
import type { Draft, EditingActions } from './inline-editing.tsx';
import { inputModeOf, inputTypeOf, ReferenceInput } from './value-input.tsx';

export function CellValue({ field, record }: { readonly field: Field; readonly record: Record_ }) {
  const value = record[field.name];
  const text = formatCell(field, record);
  if (field === titleField) return <Link to={itemPath(record.id)}>{value === '' ? titleOf(record) : text}</Link>;
  // Where rows have no title, the key is what leads to them.
  if (field === key && titleField === undefined) return <Link to={itemPath(record.id)}>{text}</Link>;
  const other = referenceOf(field);
  if (other !== undefined && value !== null) return <a href={hrefOfRow(other, value)}>{text}</a>;
  if (field.role === 'flag' && isYes(value)) return <Chip size="small" label={text} />;
  return <>{text}</>;
}

interface CellInputProps {
  readonly field: Field;
  readonly draft: Draft;
  readonly actions: EditingActions;
}

export function CellInput({ field, draft, actions: { set, save, cancel } }: CellInputProps) {
  const { row } = draft.begun;
  const { name } = field;
  const typed = draft.typed[name];
  const value = typed !== undefined && 'value' in typed ? typed.value : row[name];
  const label = `${labelOf(field)} of ${titleOf(row)}`;
  // Room for lists and json is in the form.
  if (isJson(field) || !isWritable(field)) return <div className="value">{formatValue(field, value)}</div>;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void save();
    if (event.key === 'Escape') cancel();
  };
  if (isYesNo(field)) {
    return (
      <Switch
        size="small"
        checked={isYes(value)}
        onChange={(_event, isOn) => set(name, { value: yesOrNo(field, isOn) })}
        onKeyDown={onKeyDown}
        slotProps={{ input: { 'aria-label': label } }}
      />
    );
  }
  const fault = draft.faults[name];
  if (isReference(field)) {
    return (
      <Suspense fallback={<div className="value">{formatCell(field, row)}</div>}>
        <ReferenceInput
          field={field}
          label={label}
          text={typed !== undefined && 'text' in typed ? typed.text : valueText(value)}
          title={titleReferred(field, row)}
          onChange={(text) => set(name, { text })}
          onKeyDown={onKeyDown}
          isCell
          autoFocus={draft.focus === name}
          problem={fault}
        />
      </Suspense>
    );
  }
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: whoever opens a row to edit it wants to type in it
      autoFocus={draft.focus === name}
      className="cell"
      type={inputTypeOf(field)}
      inputMode={inputModeOf(field)}
      autoComplete="off"
      value={typed !== undefined && 'text' in typed ? typed.text : editableText(field, value)}
      onChange={(event) => set(name, { text: event.target.value })}
      onKeyDown={onKeyDown}
      aria-label={label}
      {...(fault === undefined ? {} : { 'aria-invalid': true, title: fault })}
    />
  );
}
