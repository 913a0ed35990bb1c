/** A row of a table of related rows: its inputs, its errors and its actions. */
import { useEffect } from 'react';
import { type Collection, type Field, labelOf, may, mayWrite, type Row, titleOf } from '../api/catalogue.ts';
import { keyText, rowAddress } from '../api/query/text.ts';
import { IconButton } from '../components/button.tsx';
import { ReferenceLink } from '../fields/reference.tsx';
import { formatValue, kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import type { DraftOptions } from './use-draft.ts';
import { type RowForm, useDelete, useRowForm } from './use-save.ts';

/** The unsaved rows of the tables, by name. The Save button of the page saves them as well. */
export type PendingSaves = Map<string, () => Promise<unknown>>;

/** Registers the save of an unsaved row with the page. */
function usePending(pending: PendingSaves, name: string, isUnsaved: boolean, save: () => Promise<unknown>): void {
  useEffect(() => {
    if (!isUnsaved) return;
    pending.set(name, save);
    return () => void pending.delete(name);
  });
}

interface RelatedRowProps {
  readonly from: Collection;
  /** The field that refers to the row of the page. */
  readonly field: Field;
  readonly columns: readonly Field[];
  readonly pending: PendingSaves;
  /** The stored row; undefined for a new one. */
  readonly row?: Row;
  /** How a new row begins. */
  readonly start?: DraftOptions;
  /** Called when a new row is stored or discarded. */
  readonly onClose?: () => void;
}

export function RelatedRow({ from, field, columns, pending, row, start, onClose }: RelatedRowProps) {
  const draft = useRowForm(from, row, start);
  const remove = useDelete(from);
  const isUnsaved = row === undefined || draft.isChanged;
  const name = row === undefined ? t.record.newRow : nameOf(from, field, row);
  const save = async () => {
    const stored = await draft.save();
    if (stored !== undefined) onClose?.();
    return stored;
  };
  usePending(pending, `${from.name} ${row === undefined ? `new ${field.name}` : keyText(from, row)}`, isUnsaved, save);
  const discard = () => {
    draft.reset();
    onClose?.();
  };
  return (
    <tr className={isUnsaved ? 'changed' : undefined}>
      {columns.map((each, at) => (
        <td key={each.name}>
          <RelatedCell
            {...{ from, row, draft }}
            field={each}
            rowName={name}
            isFocused={row === undefined && at === 0}
          />
        </td>
      ))}
      <td className="row-actions">
        {isUnsaved && <IconButton icon="x" label={t.record.discardRow(name)} onClick={discard} />}
        {row !== undefined && (
          <IconButton icon="external-link" href={rowAddress(from, row)} label={t.app.openItem(name)} />
        )}
        {row !== undefined && may('delete', from) && (
          <IconButton
            icon="trash"
            label={t.app.removeItem(name)}
            onClick={() => void remove(row).then((isRemoved) => isRemoved && draft.reset())}
          />
        )}
      </td>
    </tr>
  );
}

interface RelatedCellProps {
  readonly from: Collection;
  readonly field: Field;
  readonly draft: RowForm;
  readonly rowName: string;
  readonly row: Row | undefined;
  readonly isFocused: boolean;
}

function RelatedCell({ from, field, draft, rowName, row, isFocused }: RelatedCellProps) {
  const { Input, Cell } = kindOf({ collection: from, field });
  const id = encodeURIComponent(`${from.name}-${row === undefined ? 'new' : keyText(from, row)}-${field.name}`);
  const problem = draft.problems[field.name];
  const text = draft.texts[field.name] ?? '';
  if (!mayWrite(from, field, row === undefined)) return row && <Cell collection={from} field={field} row={row} />;
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        {t.app.valueOf(labelOf(field), rowName)}
      </label>
      <Input
        id={id}
        collection={from}
        field={field}
        text={text}
        isInvalid={problem === undefined ? undefined : true}
        isFocused={isFocused}
        mayOpenDialog
        describedBy={`${id}-help`}
        onChange={(next) => draft.setText(field.name, next)}
      />
      {row !== undefined && <ReferenceLink collection={from} field={field} text={text} />}
      <p id={`${id}-help`} className="problem">
        {problem}
      </p>
    </>
  );
}

/** A short name for a row beside the row that it refers to: `EUR`, not `Product 1, Currency EUR`. */
export function nameOf(from: Collection, reference: Field, row: Row): string {
  const rest = from.key.filter((field) => field !== reference);
  if (rest.length === 0 || rest.length === from.key.length) return titleOf(from, row);
  return rest.map((field) => formatValue({ collection: from, field }, row[field.name])).join(', ');
}
