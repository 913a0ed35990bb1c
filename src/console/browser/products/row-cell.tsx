/** What a cell of the grid holds: its value, or an input while its row is being edited. */
import { Chip, Switch } from '@mui/material';
import type { KeyboardEvent } from 'react';
import { Link } from 'react-router-dom';
import type { Field } from '../../../collection/declaration.ts';
import { isJson, isWritable, itemPath, labelOf, type Record_, titleOf } from '../shared/collection.ts';
import { editableText, formatValue, isYes, isYesNo, yesOrNo } from '../shared/values.ts';
import type { Draft, EditingActions } from './inline-editing.tsx';
import { inputModeOf, inputTypeOf } from './value-input.tsx';

export function CellValue({ field, record }: { readonly field: Field; readonly record: Record_ }) {
  const value = record[field.name];
  const text = formatValue(field, value);
  if (field.role === 'title') return <Link to={itemPath(record.id)}>{value === '' ? titleOf(record) : text}</Link>;
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
