/** The rows that refer to a row, as editable tables: the prices of a product, its labels. */
import { useState } from 'react';
import { Link } from 'wouter';
import {
  type Collection,
  type Field,
  labelOf,
  may,
  mayWrite,
  type Row,
  relatedTo,
  titleFieldOf,
  titleOfCollection,
} from '../api/catalogue.ts';
import { useRows } from '../api/queries.ts';
import { listAddress, listOf } from '../api/query/list.ts';
import { keyText } from '../api/query/text.ts';
import { Button } from '../components/button.tsx';
import { ErrorMessage } from '../components/small.tsx';
import { Table } from '../components/table.tsx';
import { kindOf } from '../fields/registry.ts';
import { formatNumber } from '../i18n/numbers.ts';
import { t } from '../i18n/text.ts';
import { type PendingSaves, RelatedRow } from './related-row.tsx';
import { loadDraft } from './stored-drafts.ts';

interface RelatedRowsProps {
  readonly collection: Collection;
  readonly row: Row;
  readonly pending: PendingSaves;
}

export default function RelatedRows({ collection, row, pending }: RelatedRowsProps) {
  const value = row[collection.key[0]!.name]!;
  const all = relatedTo(collection);
  return all.map(({ name, from, field }) => {
    const isOnly = all.filter((each) => each.from === from).length === 1;
    const title = isOnly ? titleOfCollection(from) : `${titleOfCollection(from)} (${labelOf(field)})`;
    return <RelatedTable key={name} {...{ title, from, field, value, pending }} />;
  });
}

/** Rows of a table. The list shows all of them. */
const SHOWN = 20;

interface RelatedTableProps {
  readonly title: string;
  readonly from: Collection;
  /** The field that refers to the row of the page. */
  readonly field: Field;
  readonly value: NonNullable<Row[string]>;
  readonly pending: PendingSaves;
}

function RelatedTable({ title, from, field, value, pending }: RelatedTableProps) {
  const draftName = `new ${field.name} ${value}`;
  const [isAdding, setAdding] = useState(() => loadDraft(`${from.name} ${draftName}`) !== undefined);
  const query = listOf(from, [[field.name, `eq.${value}`]]);
  const { firstRows, total = 0, error, refetch } = useRows(query, 0, 0);
  const rows = firstRows(SHOWN);
  const columns = columnsOf(from, field);
  const mayAdd = may('create', from) && mayWrite(from, field, true);
  const actionsHead = <span className="visually-hidden">{t.app.actions}</span>;
  if (error !== null) return <ErrorMessage error={error} onRetry={refetch} />;
  return (
    <section className="related stack" aria-label={title}>
      <header className="line">
        <h2>{title}</h2>
        <span className="count">{formatNumber(total)}</span>
        <span className="space" />
        {total > SHOWN && <Link href={listAddress(query)}>{t.record.showAll(total)}</Link>}
        {mayAdd && !isAdding && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t.app.add}
          </Button>
        )}
      </header>
      {(rows.length > 0 || isAdding) && (
        <div className="table-scroll">
          <Table heads={[...columns.map(labelOf), actionsHead]}>
            <tbody>
              {rows.map((row) => (
                <RelatedRow key={keyText(from, row)} {...{ from, field, columns, row, pending }} />
              ))}
              {isAdding && (
                <RelatedRow
                  {...{ from, field, columns, pending }}
                  start={{ name: draftName, preset: { [field.name]: value } }}
                  onClose={() => setAdding(false)}
                />
              )}
            </tbody>
          </Table>
        </div>
      )}
    </section>
  );
}

const MAX_COLUMNS = 6;
const UNWIELDY = ['json', 'file'];

/** The fields that identify a row, then the others in their declared order. json and long lists have no place here. */
export function columnsOf(from: Collection, reference: Field): readonly Field[] {
  const title = titleFieldOf(from);
  const isShown = (field: Field) =>
    field !== reference &&
    field !== from.assigned &&
    field.generated === undefined &&
    !UNWIELDY.includes(kindOf({ collection: from, field }).name);
  const isFirst = (field: Field) => field === title || from.key.includes(field);
  const shown = from.fields.filter(isShown);
  return [...shown.filter(isFirst), ...shown.filter((field) => !isFirst(field))].slice(0, MAX_COLUMNS);
}
