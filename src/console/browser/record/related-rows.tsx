/** The rows that refer to a row, as editable tables: the prices of a product, its labels. */
import { ExternalLink, Plus, Trash2, X } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import {
  type Collection,
  type Field,
  labelOf,
  may,
  mayUndo,
  mayWrite,
  type Row,
  referrersOf,
  titleOfCollection,
} from '../api/catalogue.ts';
import { keyText, rowAddress } from '../api/keys.ts';
import { type ListQuery, listAddress } from '../api/list.ts';
import { useRows, useWrite } from '../api/queries.ts';
import { deleteRows } from '../api/rows.ts';
import { notify, notifyError } from '../app/toasts.tsx';
import { Button, IconButton } from '../components/button.tsx';
import { ErrorMessage } from '../components/small.tsx';
import { formatNumber } from '../fields/numbers.ts';
import { kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { columnsOf, nameOf } from './related-columns.ts';
import { loadDraft } from './stored-drafts.ts';
import { type Draft, useDraft } from './use-draft.ts';
import { useCreate, useSave } from './use-save.ts';

/** The unsaved rows of the tables, by name. The Save button of the page saves them as well. */
export type PendingSaves = Map<string, () => Promise<unknown>>;

interface RelatedRowsProps {
  readonly collection: Collection;
  readonly row: Row;
  readonly pending: PendingSaves;
}

export default function RelatedRows({ collection, row, pending }: RelatedRowsProps) {
  const value = row[collection.key[0]!.name]!;
  return referrersOf(collection).map(({ name, from, field }) => (
    <RelatedTable key={name} from={from} field={field} value={value} pending={pending} />
  ));
}

/** Rows of a table. The list shows all of them. */
const SHOWN = 20;

interface RelatedTableProps {
  readonly from: Collection;
  /** The field that refers to the row of the page. */
  readonly field: Field;
  readonly value: NonNullable<Row[string]>;
  readonly pending: PendingSaves;
}

function RelatedTable({ from, field, value, pending }: RelatedTableProps) {
  const draftName = `new ${field.name} ${value}`;
  const [isAdding, setAdding] = useState(() => loadDraft(`${from.name} ${draftName}`) !== undefined);
  const query = useMemo<ListQuery>(
    () => ({ collection: from, filters: [[field.name, `eq.${value}`]], search: '', order: [] }),
    [from, field, value],
  );
  const { rowAt, total = 0, error, refetch } = useRows(query, 0, 0);
  const rows = Array.from({ length: Math.min(total, SHOWN) }, (_, at) => rowAt(at)).filter((row) => row !== undefined);
  const columns = columnsOf(from, field);
  const title = titleOfCollection(from);
  const mayAdd = may('create', from) && mayWrite(from, field, true);
  if (error !== null) return <ErrorMessage error={error} onRetry={refetch} />;
  return (
    <section className="related" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span className="count">{formatNumber(total)}</span>
        <span className="space" />
        {total > SHOWN && <Link href={listAddress(query)}>{t.record.showAll(formatNumber(total))}</Link>}
        {mayAdd && !isAdding && (
          <Button icon={<Plus size={16} />} onClick={() => setAdding(true)}>
            {t.app.add}
          </Button>
        )}
      </header>
      {(rows.length > 0 || isAdding) && (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                {columns.map((each) => (
                  <th key={each.name} scope="col">
                    {labelOf(each)}
                  </th>
                ))}
                <th>
                  <span className="visually-hidden">{t.record.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <RelatedRow key={keyText(from, row)} {...{ from, field, columns, row, pending }} />
              ))}
              {isAdding && (
                <NewRelatedRow
                  {...{ from, columns, pending, draftName }}
                  preset={{ [field.name]: value }}
                  onClose={() => setAdding(false)}
                />
              )}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

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

function RelatedRow({ from, field, columns, row, pending }: RelatedRowProps) {
  const draft = useDraft(from, row);
  const { save } = useSave(from, draft);
  const remove = useWrite(from, () => deleteRows(from, [row]));
  const name = nameOf(from, field, row);
  usePending(pending, `${from.name} ${keyText(from, row)}`, draft.isChanged ? save : undefined);
  const onDelete = async () => {
    try {
      const written = await remove.run(undefined);
      if (written === undefined) return;
      draft.reset();
      notify(t.record.deleted, mayUndo('delete', from) ? { requestId: written.requestId } : {});
    } catch (failure) {
      notifyError(failure);
    }
  };
  return (
    <tr className={draft.isChanged ? 'changed' : undefined}>
      {columns.map((each) => (
        <td key={each.name}>
          <RelatedCell from={from} field={each} row={row} draft={draft} rowName={name} />
        </td>
      ))}
      <RowActions>
        {draft.isChanged && (
          <IconButton label={t.record.discardRow(name)} onClick={draft.reset}>
            <X size={16} />
          </IconButton>
        )}
        <Link href={rowAddress(from, row)} className="icon-button" aria-label={t.grid.openRow(name)}>
          <ExternalLink size={16} />
        </Link>
        {may('delete', from) && (
          <IconButton label={t.record.deleteRow(name)} onClick={() => void onDelete()}>
            <Trash2 size={16} />
          </IconButton>
        )}
      </RowActions>
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

function NewRelatedRow({ from, columns, preset, draftName, pending, onClose }: NewRelatedRowProps) {
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
      <RowActions>
        <IconButton label={t.record.discardRow(t.record.newRow)} onClick={cancel}>
          <X size={16} />
        </IconButton>
      </RowActions>
    </tr>
  );
}

function RowActions({ children }: { readonly children: ReactNode }) {
  return <td className="row-actions">{children}</td>;
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
  const id = `${from.name}-${row === undefined ? 'new' : keyText(from, row)}-${field.name}`;
  const problem = draft.problems[field.name];
  if (!mayWrite(from, field, row === undefined)) return row && <Cell collection={from} field={field} row={row} />;
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        {t.record.cellLabel(labelOf(field), rowName)}
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
