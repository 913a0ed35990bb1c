/** A row of a table of related rows: its inputs, its errors and its actions. */
import { useEffect } from 'react';
import { type Collection, type Field, labelOf, may, mayWrite, type Row, titleOf } from '../api/catalogue.ts';
import { keyText, rowAddress } from '../api/query/keys.ts';
import { IconButton } from '../components/button.tsx';
import { formatValue, kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { type Draft, useDraft } from './use-draft.ts';
import { useCreate, useDelete, useSave } from './use-save.ts';

/** The unsaved rows of the tables, by name. The Save button of the page saves them as well. */
export type PendingSaves = Map<string, () => Promise<unknown>>;

/** Registers the save of a changed row with the page. */
function usePending(pending: PendingSaves, name: string, save: (() => Promise<unknown>) | undefined): void {
  useEffect(() => {
    if (save === undefined) return;
    pending.set(name, save);
    return () => void pending.delete(name);
  });
}

interface RelatedRowProps {
  readonly from: Collection;
  readonly field: Field;
  readonly columns: readonly Field[];
  readonly row: Row;
  readonly pending: PendingSaves;
}

export function RelatedRow({ from, field, columns, row, pending }: RelatedRowProps) {
  const draft = useDraft(from, row);
  const { save } = useSave(from, draft);
  const remove = useDelete(from, row);
  const name = nameOf(from, field, row);
  usePending(pending, `${from.name} ${keyText(from, row)}`, draft.isChanged ? save : undefined);
  const onDelete = async () => {
    if (await remove()) draft.reset();
  };
  return (
    <tr className={draft.isChanged ? 'changed' : undefined}>
      {columns.map((each) => (
        <td key={each.name}>
          <RelatedCell from={from} field={each} row={row} draft={draft} rowName={name} />
        </td>
      ))}
      <td className="row-actions">
        {draft.isChanged && <IconButton icon="x" label={t.record.discardRow(name)} onClick={draft.reset} />}
        <IconButton icon="external-link" href={rowAddress(from, row)} label={t.app.openItem(name)} />
        {may('delete', from) && (
          <IconButton icon="trash" label={t.app.removeItem(name)} onClick={() => void onDelete()} />
        )}
      </td>
    </tr>
  );
}

interface NewRelatedRowProps {
  readonly from: Collection;
  readonly columns: readonly Field[];
  readonly preset: Row;
  readonly draftName: string;
  readonly pending: PendingSaves;
  readonly onClose: () => void;
}

export function NewRelatedRow({ from, columns, preset, draftName, pending, onClose }: NewRelatedRowProps) {
  const draft = useDraft(from, undefined, { name: draftName, preset });
  const { save } = useCreate(from, draft);
  const saveAndClose = async () => {
    const row = await save();
    if (row !== undefined) onClose();
    return row;
  };
  usePending(pending, `${from.name} ${draftName}`, saveAndClose);
  const cancel = () => {
    draft.reset();
    onClose();
  };
  return (
    <tr className="changed">
      {columns.map((each, at) => (
        <td key={each.name}>
          <RelatedCell from={from} field={each} draft={draft} rowName={t.record.newRow} isFocused={at === 0} />
        </td>
      ))}
      <td className="row-actions">
        <IconButton icon="x" label={t.record.discardRow(t.record.newRow)} onClick={cancel} />
      </td>
    </tr>
  );
}

interface RelatedCellProps {
  readonly from: Collection;
  readonly field: Field;
  readonly draft: Draft;
  readonly rowName: string;
  readonly row?: Row;
  readonly isFocused?: boolean;
}

function RelatedCell({ from, field, draft, rowName, row, isFocused }: RelatedCellProps) {
  const { Input, Cell } = kindOf({ collection: from, field });
  const id = encodeURIComponent(`${from.name}-${row === undefined ? 'new' : keyText(from, row)}-${field.name}`);
  const problem = draft.problems[field.name];
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
        text={draft.texts[field.name] ?? ''}
        isInvalid={problem === undefined ? undefined : true}
        isFocused={isFocused}
        mayOpenDialog
        describedBy={`${id}-help`}
        onChange={(text) => draft.setText(field.name, text)}
      />
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
