/** What a cell of the grid holds: its value, or an input while its row is being edited. */
import { Chip, InputBase, Switch } from '@mui/material';
import type { KeyboardEvent } from 'react';
import { Link } from 'react-router-dom';
import type { Field } from '../../../collection/declaration.ts';
import type { Value } from '../../../collection/value.ts';
import {
  formatValue,
  isDecimal,
  isJson,
  isNumeric,
  isText,
  itemPath,
  labelOf,
  type Record_,
  titleOf,
  valueText,
} from '../shared/collection.ts';
import type { Draft, EditingActions } from './inline-editing.tsx';

export function CellValue({ field, record }: { readonly field: Field; readonly record: Record_ }) {
  const text = formatValue(field, record[field.name]);
  if (field.role === 'title') return <Link to={itemPath(record.id)}>{titleOf(record)}</Link>;
  if (field.role === 'flag' && record[field.name] !== 0) return <Chip size="small" label={text} />;
  return <>{text}</>;
}

interface CellInputProps {
  readonly field: Field;
  readonly draft: Draft;
  readonly actions: EditingActions;
}

export function CellInput({ field, draft, actions: { set, save, cancel } }: CellInputProps) {
  const value = draft.values[field.name] ?? null;
  const label = `${labelOf(field)} of ${titleOf(draft.row)}`;
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
  // Room for these is in the form.
  if (isJson(field)) return <>{formatValue(field, value)}</>;
  if (field.type.input === 'switch') {
    return (
      <Switch
        size="small"
        checked={value === true}
        onChange={(_event, isOn) => set(field.name, isOn)}
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
      autoFocus={draft.focus === field.name}
      type={isNumeric(field) ? 'number' : 'text'}
      value={valueText(value)}
      onChange={(event) => set(field.name, readInput(field, event.target.value))}
      onKeyDown={onKeyDown}
      inputProps={{ 'aria-label': label, step: isDecimal(field) ? 'any' : 1 }}
      sx={{
        border: 1,
        borderColor: 'primary.main',
        borderRadius: 1,
        px: 0.75,
        // As wide as its column, which should not grow for it.
        width: '100%',
        minWidth: isText(field) ? 110 : 58,
        '& input': {
          textAlign: isNumeric(field) ? 'right' : 'left',
          py: 0.25,
          width: 0,
          flex: 1,
          appearance: 'textfield',
        },
        '& input::-webkit-inner-spin-button': { display: 'none' },
        fontSize: 'inherit',
      }}
    />
  );
}

/** An empty input is null, where the field may be; what is no number is left to the service to refuse. */
function readInput(field: Field, text: string): Value {
  if (text === '') return field.required && isText(field) ? '' : null;
  if (!isNumeric(field)) return text;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
