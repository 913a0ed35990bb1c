/** A cell of the grid: its value, or an input during an edit. */
import { Switch } from '@mui/material';
import { type KeyboardEvent, Suspense } from 'react';
import type { Field } from '../../../../collection/declaration.ts';
import {
  isJson,
  isWritable,
  itemPath,
  type KeyedRow,
  key,
  labelOf,
  titleField,
  titleOf,
} from '../../shared/api/collection.ts';
import { hrefOfRow, referencedTitle, referenceOf } from '../../shared/values/references.ts';
import {
  editableText,
  formatCell,
  formatValue,
  isImage,
  isReference,
  isTags,
  isYes,
  isYesNo,
  valueText,
  yesOrNo,
} from '../../shared/values/values.ts';
import { isAddress } from '../form/picture.tsx';
import { inputModeOf, inputTypeOf, ReferenceInput, stepOf } from '../form/value-input.tsx';
import type { Draft, EditingActions } from './inline-editing.tsx';

/** `Rows` handles clicks on these links. */
const hrefOf = ({ id }: KeyedRow) => `#${itemPath(id)}`;

export function CellValue({ field, record }: { readonly field: Field; readonly record: KeyedRow }) {
  const value = record[field.name];
  const text = formatCell(field, record);
  if (field === titleField) return <a href={hrefOf(record)}>{value === '' ? titleOf(record) : text}</a>;
  // Without a title, the key links to the row.
  if (field === key && titleField === undefined) return <a href={hrefOf(record)}>{text}</a>;
  const other = referenceOf(field);
  if (other !== undefined && value !== null) return <a href={hrefOfRow(other, value)}>{text}</a>;
  if (field.role === 'flag' && isYes(value)) return <span className="tag">{text}</span>;
  if (isTags(field) && Array.isArray(value)) {
    return value.map((tag, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: tags have no identity but their index
      <span key={at} className="tag">
        {tag === null ? '–' : String(tag)}
      </span>
    ));
  }
  if (isImage(field) && isAddress(value)) {
    return <img className="picture" src={value} alt="" loading="lazy" referrerPolicy="no-referrer" title={value} />;
  }
  return <>{text}</>;
}

interface CellInputProps {
  readonly field: Field;
  readonly draft: Draft;
  readonly actions: EditingActions;
}

export function CellInput({ field, draft, actions: { set, save, cancel } }: CellInputProps) {
  const { row } = draft.original;
  const { name } = field;
  const typed = draft.typed[name];
  const value = typed !== undefined && 'value' in typed ? typed.value : row[name];
  const label = `${labelOf(field)} of ${titleOf(row)}`;
  // Lists and json are edited in the form.
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
          title={referencedTitle(field, row)}
          onChange={(text) => set(name, { text })}
          onKeyDown={onKeyDown}
          isCell
          autoFocus={draft.focus === name}
          problem={fault}
        />
      </Suspense>
    );
  }
  if (field.rules.oneOf !== undefined) {
    const { oneOf } = field.rules;
    return (
      <select
        // biome-ignore lint/a11y/noAutofocus: the person opened the row to edit it
        autoFocus={draft.focus === name}
        className="cell"
        value={valueText(value)}
        onChange={({ target }) => set(name, { value: oneOf.find((each) => valueText(each) === target.value) ?? null })}
        onKeyDown={onKeyDown}
        aria-label={label}
      >
        {(!field.required || value === null) && <option value="">–</option>}
        {oneOf.map((each) => (
          <option key={valueText(each)} value={valueText(each)}>
            {formatValue(field, each)}
          </option>
        ))}
      </select>
    );
  }
  const text = typed !== undefined && 'text' in typed ? typed.text : editableText(field, value);
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the person opened the row to edit it
      autoFocus={draft.focus === name}
      className="cell"
      type={inputTypeOf(field, editableText(field, row[name]))}
      {...stepOf(field)}
      inputMode={inputModeOf(field)}
      autoComplete="off"
      value={text}
      onChange={(event) => set(name, { text: event.target.value })}
      onKeyDown={onKeyDown}
      aria-label={label}
      {...(fault === undefined ? {} : { 'aria-invalid': true, title: fault })}
    />
  );
}
