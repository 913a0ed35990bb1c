/** The menu of a row: open, duplicate, filter by a value, fill, clear and delete. */

import { isStored } from '../api/added-rows.ts';
import { goTo, setFilter, setOwn } from '../api/address.ts';
import { type Field, may, mayWrite, type Row, titleOf } from '../api/catalogue.ts';
import { loadedRow, loadRows } from '../api/queries.ts';
import { type ListQuery, ROW } from '../api/query/list.ts';
import { equals, keyText, rowAddress } from '../api/query/text.ts';
import { showDialog } from '../components/dialog.tsx';
import { type MenuGroup, showContextMenu } from '../components/menu.tsx';
import { dialogOnDemand } from '../components/on-demand.tsx';
import { notifyError } from '../components/toasts.tsx';
import { formatValue, kindOf } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { duplicateRow } from '../record/duplicate.ts';
import type { Column } from '../views/columns.ts';
import type { Blocks } from './clipboard/blocks.tsx';
import type { CheckedRows } from './many-rows/use-checked.ts';
import { type CellPlace, rangeOf, type Selection } from './selection.ts';

const DeleteDialog = dialogOnDemand(() => import('../record/delete-dialog.tsx'));

/** Kinds whose values the query language compares. */
const COMPARED = ['text', 'number', 'boolean', 'date', 'choice', 'reference'];

/** Returns a function that shows the menu of a cell. */
export function rowMenu(
  query: ListQuery,
  columns: readonly Column[],
  checked: CheckedRows,
  open: (index: number) => void,
  blocks: Blocks,
) {
  const { collection } = query;

  const filterItems = (row: Row, field: Field) => {
    const value = row[field.name] ?? null;
    const label = value === null ? t.app.empty : formatValue({ collection, field }, value);
    const filter = (condition: string) => () => setFilter(collection, field.name, () => [condition]);
    if (!COMPARED.includes(kindOf({ collection, field }).name)) return [];
    return [
      { label: t.grid.onlyValue(label), icon: 'list-filter' as const, onChoose: filter(equals(value)) },
      { label: t.grid.withoutValue(label), onChoose: filter(`not.${equals(value)}`) },
    ];
  };

  const deleteRows = async (first: number, last: number) => {
    const rows = (await loadRows(query, first, last)).filter((row) => isStored(collection, row));
    await showDialog(<DeleteDialog target={{ query, rows, count: rows.length }} onDeleted={checked.clear} />);
  };

  return (at: MouseEvent | Element, place: CellPlace, selection: Selection) => {
    const { field } = columns[place.column]!;
    const row = loadedRow(query, place.row);
    if (row === undefined || !isStored(collection, row)) return;
    const { top: first, bottom: last } = rangeOf(selection);
    const showCopy = (copy: Row) => setOwn(collection, ROW, keyText(collection, copy));
    const duplicate = () => void duplicateRow(collection, row, showCopy);
    const remove = () => void deleteRows(first, last).catch(notifyError);
    const isWritable = mayWrite(collection, field, false);
    const deleteLabel = t.grid.deleteSome(last - first + 1);
    const groups: readonly MenuGroup[] = [
      {
        items: [
          { label: t.grid.openRow, icon: 'maximize-2', onChoose: () => open(place.row) },
          { label: t.grid.openPage, icon: 'external-link', onChoose: () => goTo(rowAddress(collection, row)) },
          may('create', collection) && { label: t.record.duplicate, icon: 'copy', onChoose: duplicate },
          { label: t.grid.selectRow(titleOf(collection, row)), onChoose: () => checked.check(place.row, false) },
        ],
      },
      { items: filterItems(row, field) },
      {
        items: [
          isWritable && { label: t.grid.fillDown, icon: 'arrow-down', onChoose: () => blocks.fillDown(selection) },
          isWritable && { label: t.grid.clearCells, icon: 'x', onChoose: () => blocks.clear(selection) },
        ],
      },
      { items: [may('delete', collection) && { label: deleteLabel, icon: 'trash', onChoose: remove }] },
    ];
    showContextMenu(at, titleOf(collection, row), groups);
  };
}
